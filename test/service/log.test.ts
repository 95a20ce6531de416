import { expect, test } from "vitest";
import { createEmulator } from "../../src/index.ts";
import { createWarningLog } from "../../src/service/log.ts";

test("a log of warnings names at most 100 paths that are not served, without their queries", async () => {
  const lines: string[] = [];
  const log = createWarningLog(
    (line) => lines.push(line),
    () => {},
  );
  const emulator = await createEmulator({ log });

  for (let number = 0; number < 120; number += 1) {
    await emulator.fetch(`http://emulator.test/path-${number}?q=secret`);
  }

  expect(lines).toHaveLength(101);
  expect(lines[0]).toMatch(/^GET \/path-0: /);
  expect(lines[99]).toMatch(/^GET \/path-99: /);
  expect(lines[100]).toBe("further paths that are not served are no longer reported");
  expect(lines.join("\n")).not.toContain("secret");
});
