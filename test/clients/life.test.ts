import { verifyKey } from "@unkey/api";
import { expect, test } from "vitest";
import { clients, connect2, connectNewer, connectOlder, unwrap } from "../_clients.ts";
import { NOW } from "../_emulator.ts";
import { describeLife, fixtures, HOUR, MINUTE } from "../_life.ts";
import { leadHere, overHttp, type Reached } from "../_reach.ts";

const given = () => overHttp({ fixtures, strict: true });

describeLife("over HTTP", async (version) => {
  const reached = await given();
  return {
    client: clients[version](reached.url),
    setClock: (now) => setClock(reached, now),
  };
});

/** Sets the clock with a control call. */
async function setClock({ url }: Reached, now: number): Promise<void> {
  const { status } = await fetch(`${url}/_latchkey/clock`, {
    method: "PUT",
    headers: { Authorization: "Bearer root", "Content-Type": "application/json" },
    body: JSON.stringify({ now }),
  });
  expect(status).toBe(200);
}

test("a key that 2.5.1 rotates is verified by 0.38 in both values until the old one expires", async () => {
  const reached = await given();
  const [older, newer] = [connectOlder(reached.url), connectNewer(reached.url)];
  const settings = { name: "CI", permissions: ["billing.read"], uses: { left: 9, daily: 9 } };
  const old = await newer.create(settings);
  await setClock(reached, NOW + 1);

  const { data: fresh } = await connect2(reached.url).keys.rerollKey({
    keyId: old.keyId,
    expiration: HOUR,
  });
  const verifyBoth = async () => [await older.verify(old.key), await older.verify(fresh.key)];
  const soon = await verifyBoth();
  // The old key expires at a full minute.
  await setClock(reached, NOW + HOUR + MINUTE);
  const last = await verifyBoth();
  await setClock(reached, NOW + HOUR + MINUTE + 1);
  const after = await verifyBoth();

  expect(fresh.keyId).not.toBe(old.keyId);
  expect(soon).toMatchObject([
    { code: "VALID", keyId: old.keyId, name: "CI", usesLeft: 8 },
    { code: "VALID", keyId: fresh.keyId, name: "CI", usesLeft: 8 },
  ]);
  expect(last.map(({ code }) => code)).toEqual(["VALID", "VALID"]);
  expect(after).toMatchObject([{ code: "EXPIRED" }, { code: "VALID", usesLeft: 6 }]);
  expect(await older.verify(fresh.key, ["all", "billing.read"])).toMatchObject({ code: "VALID" });
});

test("one public client sees uses and changes of a key by another client", async () => {
  const reached = await given();
  const [older, newer] = [connectOlder(reached.url), connectNewer(reached.url)];
  const { key, keyId } = await older.create({ uses: { left: 3, daily: 3 } });

  const outcomes = [await older.verify(key), await newer.verify(key)];
  await newer.update(keyId, { enabled: false });
  outcomes.push(await older.verify(key));
  await newer.delete(keyId);
  outcomes.push(await older.verify(key));

  expect(outcomes).toMatchObject([
    { code: "VALID", usesLeft: 2 },
    { code: "VALID", usesLeft: 1 },
    { code: "DISABLED" },
    { code: "NOT_FOUND" },
  ]);
});

test("the public client 2.5.1 sends verifyKey without `keyspaces`, which the client does not know", async () => {
  const reached = await given();
  const { key } = await connectNewer(reached.url).create();

  const request = { key, keyspaces: ["ks_other"] };
  const { data } = await connect2(reached.url).keys.verifyKey(request);

  expect(data.code).toBe("VALID");
  const [call] = reached.emulator.requests.list({ operation: "keys.verifyKey" });
  expect(call?.input).not.toHaveProperty("keyspaces");
});

test("the function verifyKey of 0.38 needs no token of the emulator", async () => {
  const reached = await given();
  leadHere(reached);
  const { key, keyId } = await connectOlder(reached.url).create({ name: "CI" });
  const { keyId: disabledId, ...disabled } = await connectOlder(reached.url).create();
  await connectOlder(reached.url).update(disabledId, { enabled: false });

  const answers = [
    await verifyKey(key),
    await verifyKey({ key, apiId: "api_pay" }),
    await verifyKey({ key, apiId: "api_other" }),
    await verifyKey(disabled),
    await verifyKey("nothing"),
  ];

  expect(answers.map(unwrap)).toMatchObject([
    { valid: true, code: "VALID", keyId, name: "CI" },
    { valid: true, code: "VALID" },
    { valid: false, code: "FORBIDDEN" },
    { valid: false, code: "DISABLED" },
    { valid: false, code: "NOT_FOUND" },
  ]);
});
