import { describe, expect, test } from "vitest";
import type { Fixture } from "../src/index.ts";
import { clients, type Client, type ClientVersion, type Query } from "./_clients.ts";
import { NOW } from "./_emulator.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const MIDNIGHT = NOW + 24 * HOUR;

/** A world in which the clients of tests may do everything. */
export const fixtures: readonly Fixture[] = [
  {
    apis: [{ id: "api_pay", defaultPrefix: "pay" }],
    roles: [{ name: "editor", permissions: ["documents.read", "documents.write"] }],
    tokens: [{ token: "root", permissions: ["*"] }],
  },
];

/** A client of an emulator that has these fixtures. */
export interface Ground {
  readonly client: Client;
  setClock(now: number): Promise<void>;
}

/** The code of v1, and the end of the error type of v2. */
const NOT_FOUND = /not_found/i;

/**
 * Tests what a key goes through, with a client of each version.
 * @param way how the clients reach the emulator, for the titles
 */
export function describeLife(
  way: string,
  given: (version: ClientVersion) => Promise<Ground>,
): void {
  describe.each(Object.keys(clients) as ClientVersion[])(
    `with the public client %s, ${way},`,
    (version) => {
      test("a key with uses is valid until they are spent, and again when some are added or refilled", async () => {
        const { client, setClock } = await given(version);
        const { key, keyId } = await client.create({ name: "CI", uses: { left: 2, daily: 3 } });

        const spent = [
          await client.verify(key),
          await client.verify(key),
          await client.verify(key),
        ];
        await client.addUses(keyId, 1);
        const added = [await client.verify(key), await client.verify(key)];
        await setClock(MIDNIGHT - 1);
        const late = await client.verify(key);
        await setClock(MIDNIGHT);
        const next = await client.verify(key);

        expect(spent).toMatchObject([
          { code: "VALID", keyId, name: "CI", usesLeft: 1 },
          { code: "VALID", usesLeft: 0 },
          { code: "USAGE_EXCEEDED", usesLeft: 0 },
        ]);
        expect(added).toMatchObject([{ code: "VALID", usesLeft: 0 }, { code: "USAGE_EXCEEDED" }]);
        expect(late).toMatchObject({ code: "USAGE_EXCEEDED", usesLeft: 0 });
        expect(next).toMatchObject({ code: "VALID", usesLeft: 2 });
      });

      test("a key over its rate limit is refused, spends nothing, and is free again later", async () => {
        const { client, setClock } = await given(version);
        const limit = { limit: 2, duration: MINUTE };
        const { key } = await client.create({ limit, uses: { left: 9, daily: 9 } });

        const calls = [
          await client.verify(key),
          await client.verify(key),
          await client.verify(key),
        ];
        await setClock(NOW + MINUTE - 1);
        const early = await client.verify(key);
        await setClock(NOW + 2 * MINUTE);
        const free = await client.verify(key);

        const reset = NOW + MINUTE;
        expect(calls).toMatchObject([
          { code: "VALID", usesLeft: 8, limit: { remaining: 1, reset } },
          { code: "VALID", usesLeft: 7, limit: { remaining: 0, reset } },
          { code: "RATE_LIMITED", limit: { remaining: 0, reset } },
        ]);
        expect(early.code).toBe("RATE_LIMITED");
        expect(free).toMatchObject({ code: "VALID", usesLeft: 6 });
      });

      test("a changed key is verified with its new settings", async () => {
        const { client } = await given(version);
        const limit = { limit: 1, duration: MINUTE };
        const { key, keyId } = await client.create({ name: "before", limit });

        await client.update(keyId, { enabled: false });
        const disabled = await client.verify(key);
        await client.update(keyId, { enabled: true, name: "after" });
        const renamed = [await client.verify(key), await client.verify(key)];
        await client.update(keyId, { limit: { limit: 3, duration: MINUTE } });
        const raised = await client.verify(key);

        expect(disabled).toMatchObject({ code: "DISABLED", keyId });
        expect(renamed).toMatchObject([{ code: "VALID", name: "after" }, { code: "RATE_LIMITED" }]);
        // The call before the change counts.
        expect(raised).toMatchObject({ code: "VALID", limit: { remaining: 1 } });
        expect(await client.nameOf(keyId)).toBe("after");
      });

      test("a key expires after the millisecond of its expiry, until a later one is set", async () => {
        const { client, setClock } = await given(version);
        const { key, keyId } = await client.create({ expires: NOW + HOUR });

        const codes: unknown[] = [];
        for (const time of [NOW + HOUR, NOW + HOUR + 1]) {
          await setClock(time);
          codes.push((await client.verify(key)).code);
        }
        await client.update(keyId, { expires: NOW + 2 * HOUR });

        expect(codes).toEqual(["VALID", "EXPIRED"]);
        expect((await client.verify(key)).code).toBe("VALID");
      });

      test("a deleted key is not found, and others stay", async () => {
        const { client } = await given(version);
        const [gone, other] = [await client.create(), await client.create()];

        await client.delete(gone.keyId);

        expect(await client.verify(gone.key)).toMatchObject({ code: "NOT_FOUND" });
        expect(await client.verify(other.key)).toMatchObject({ code: "VALID" });
        await expect(client.nameOf(gone.keyId)).rejects.toThrow(NOT_FOUND);
        await expect(client.delete(gone.keyId)).rejects.toThrow(NOT_FOUND);
      });

      test("permissions of a key and of its roles decide what it may do", async () => {
        const { client } = await given(version);
        const { key, keyId } = await client.create({ permissions: ["billing.read"] });
        const queries: readonly Query[] = [
          ["all", "billing.read"],
          ["all", "billing.read", "documents.write"],
          ["any", "billing.write", "documents.write"],
          ["any", "billing.write", "documents.delete"],
        ];
        const ask = async () => {
          const may: boolean[] = [];
          for (const query of queries) {
            const { code } = await client.verify(key, query);
            expect(["VALID", "INSUFFICIENT_PERMISSIONS"]).toContain(code);
            may.push(code === "VALID");
          }
          return may;
        };

        const alone = await ask();
        await client.update(keyId, { roles: ["editor"] });
        const withRole = await ask();
        await client.update(keyId, { permissions: [] });
        const withRoleAlone = await ask();
        await client.update(keyId, { permissions: ["documents.delete"] });
        const updated = await ask();

        expect([alone, withRole, withRoleAlone, updated]).toEqual([
          [true, false, false, false],
          [true, true, true, false],
          [false, false, true, false],
          [false, false, true, true],
        ]);
      });
    },
  );
}
