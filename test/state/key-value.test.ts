import { expect, test } from "vitest";
import { decodeBase58, encodeBase58, randomBigInt } from "../../src/base/random.ts";
import { makeKeyValue } from "../../src/state/id-maker.ts";

test("a key value encodes a version, the number of random bytes and these bytes", () => {
  const number = decodeBase58(makeKeyValue("a", "", 16, "v1")) ?? 0n;

  const hex = number.toString(16).padStart(36, "0");
  expect(hex.slice(0, 4)).toBe("0110");
  expect(hex).toHaveLength(36);
});

test("base58 decodes to the number that was encoded, and to nothing for other digits", () => {
  for (const number of [0n, 1n, 57n, 58n, 58n ** 8n, 58n ** 8n - 1n, 2n ** 96n - 1n]) {
    expect(decodeBase58(encodeBase58(number))).toBe(number);
  }
  expect(decodeBase58("0OIl")).toBeUndefined();
});

test("random bytes depend on their address alone and are evenly spread", () => {
  expect(randomBigInt("here", 40)).toBe(randomBigInt("here", 40));
  expect(randomBigInt("here", 9)).toBe(randomBigInt("here", 40) >> (31n * 8n));

  const counts = Array.from({ length: 256 }, () => 0);
  for (let draw = 0; draw < 4_000; draw += 1) {
    const drawn = randomBigInt(`stream/${draw}`, 16);
    for (let shift = 0n; shift < 128n; shift += 8n) {
      const byte = Number((drawn >> shift) & 0xffn);
      counts[byte] = (counts[byte] ?? 0) + 1;
    }
  }
  // 250 of each byte are expected, with a standard deviation of 16.
  expect(Math.min(...counts)).toBeGreaterThan(160);
  expect(Math.max(...counts)).toBeLessThan(340);
});
