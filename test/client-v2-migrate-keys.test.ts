import { expect, test } from "vitest";
import { connect2 } from "./_clients.ts";
import { base64 } from "./operations/_migrations.ts";
import { overHttp } from "./_reach.ts";

const fixtures = [{ apis: [{ id: "api_pay" }], migrations: [{ id: "mig_plain" }] }];
const migration = { migrationId: "mig_plain", apiId: "api_pay" };

test("keys of another system are valid, with the settings that they came with", async () => {
  const { keys } = connect2((await overHttp({ fixtures })).url);
  const hash = base64("old_1");

  const { data } = await keys.migrateKeys({
    ...migration,
    keys: [
      {
        hash,
        name: "CI",
        externalId: "user_1",
        meta: { plan: "pro" },
        roles: ["editor"],
        permissions: ["documents.read"],
        credits: { remaining: 3 },
        ratelimits: [{ name: "calls", limit: 5, duration: 60_000, autoApply: true }],
      },
    ],
  });
  const { data: verified } = await keys.verifyKey({ key: "old_1" });

  const keyId = expect.stringMatching(/^key_/);
  expect(data).toEqual({ failed: [], migrated: [{ hash, keyId }] });
  expect(verified).toMatchObject({
    code: "VALID",
    keyId: data.migrated[0]?.keyId,
    name: "CI",
    meta: { plan: "pro" },
    identity: { externalId: "user_1" },
    roles: ["editor"],
    permissions: ["documents.read"],
    credits: 2,
    ratelimits: [{ name: "calls", remaining: 4 }],
  });
});

test("a hash that a key has already is reported, and the other keys are created", async () => {
  const { emulator, url } = await overHttp({ fixtures });
  const { keys } = connect2(url);
  const [known, fresh] = [base64("old_1"), base64("old_2")];
  await keys.migrateKeys({ ...migration, keys: [{ hash: known }] });

  const { data } = await keys.migrateKeys({
    ...migration,
    keys: [{ hash: known }, { hash: fresh }],
  });

  expect(data.failed).toEqual([known]);
  expect(data.migrated.map(({ hash }) => hash)).toEqual([fresh]);
  expect(emulator.keys.count()).toBe(2);
});
