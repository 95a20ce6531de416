import { describe, expect, test } from "vitest";
import type { LogEntry } from "../../src/index.ts";
import type { Operation } from "../../src/service/operations/operation.ts";
import { namesInV2 } from "../../src/service/route.ts";
import { operationsOf } from "../../src/service/operations/table.ts";
import { givenEmulator, send } from "../_emulator.ts";
import { deleteIdentity } from "../_own-operations.ts";

/** Any of `operations`; the message lists the first ones. */
const someOf = (operations: readonly Pick<Operation, "contract">[]) => ({ operations });

const SERVED = someOf(operationsOf(["v1"]));
const closestIs = (path: string) => `the closest that it serves is ${path}`;
const CREATE = closestIs("POST /v1/keys.createKey");
const VERIFY = closestIs("POST /v1/keys.verifyKey");
const LIST = closestIs("GET /v1/apis.listKeys");
const DELETE_KEY = closestIs("POST /v1/keys.deleteKey");
/** Clients repeat the first sentence in messages of their own. */
const MAX_SENTENCE = 300;
const README = "defineOperation adds more, see node_modules/latchkey/docs/refusals.md.";

const RECIPE =
  "For an operation that answers it from the usage that latchkey counts, see node_modules/latchkey/docs/own-operations.md, Verifications.";

/** Whether the service has it, and where to read more. */
function endOf(path: string, name: string): string {
  if (name.startsWith("the older path")) return README;
  if (name === "analytics.getVerifications") return `v1 of the service had it. ${RECIPE}`;
  const service = path.startsWith("/v1/") ? "v1 of the service did" : "The service does";
  return `${service} not have it. ${README}`;
}

/** The path that a client sends, its name in the message, and the operations it suggests. */
const unserved = [
  // An operation of the service.
  ["/v1/analytics.getVerifications", "analytics.getVerifications", SERVED],
  // An operation that only v2 has.
  ["/v1/keys.rerollKey", "keys.rerollKey", closestIs("POST /v2/keys.rerollKey")],
  // A name that the service does not have.
  ["/v1/keys.frobnicate", "keys.frobnicate", SERVED],
  // Wrong capitals, typos, extra slashes.
  ["/v1/keys.createkey", "keys.createkey", CREATE],
  ["/v1/KEYS.CREATEKEY", "KEYS.CREATEKEY", CREATE],
  ["/v1/keys.craeteKey", "keys.craeteKey", CREATE],
  ["/v1/api.listKey", "api.listKey", LIST],
  ["/v1/keys.createKey/", "the path /v1/keys.createKey/", CREATE],
  // Paths that older clients call.
  ["/v1/keys", "the older path /v1/keys (now keys.createKey)", CREATE],
  ["/v1/keys/verify", "the older path /v1/keys/verify (now keys.verifyKey)", VERIFY],
  ["/v1/apis/api_one/keys", "the older path /v1/apis/{apiId}/keys (now apis.listKeys)", LIST],
  // Names of methods of clients, and those of v2.
  ["/v1/keys.create", "keys.create", CREATE],
  ["/v1/keys.verify", "keys.verify", VERIFY],
  ["/v1/keys.deleteKeys", "keys.deleteKeys", DELETE_KEY],
  ["/v1/keys.listKeys", "keys.listKeys", LIST],
  ["/v1/keys.updateCredits", "keys.updateCredits", closestIs("POST /v1/keys.updateRemaining")],
  ["/v1/apis.get", "apis.get", closestIs("POST /v2/apis.getApi")],
  // A version after the path of a base URL that has the other version.
  [
    "/v1/v2/keys.createKey",
    "the path /v1/v2/keys.createKey, which begins with /v1: the base URL of the client may have a path",
    closestIs("POST /v2/keys.createKey"),
  ],
  // Anything else.
  ["/v1/", "the path /v1/", SERVED],
  ["/v1/%F0%9F%94%91", "the path /v1/%F0%9F%94%91", SERVED],
  ["/v1/%ff", "the path /v1/%ff", SERVED],
  ["/v1/a%0Ab", "the path /v1/a%0Ab", SERVED],
  [`/v1/${"a/".repeat(4_000)}`, "the path (8004 characters)", SERVED],
] as const;

/** The end of the sentence: a suggestion, or as many operations as there is room for. */
function textOf(offer: string | typeof SERVED, name: string): string {
  if (typeof offer === "string") return offer;
  const all = offer.operations.map(({ contract }) => `${contract.method} ${contract.path}`);
  const texts = all.map((_, index) => {
    const more = all.length - index - 1;
    const shown = all.slice(0, index + 1).join(", ");
    return `it serves ${shown}${more > 0 ? `, and ${more} more` : ""}`;
  });
  const room = MAX_SENTENCE - `latchkey does not serve ${name}; .`.length;
  return texts.findLast(({ length }) => length < room) ?? "";
}

describe("unserved paths", () => {
  test.each([...namesInV2])(
    "%s of v1 is answered with 404, which names %s of v2",
    async (name, inV2) => {
      const emulator = await givenEmulator({ fixtures: [{ tokens: [{ token: "root" }] }] });
      const listed = { Authorization: "Bearer root", "Content-Type": "application/json" };
      for (const method of ["GET", "POST"]) {
        const answer = await send(emulator, toRequest(`/v1/${name}`, method, listed));

        expect(answer.status).toBe(404);
        expect(answer.body.error).toMatchObject({
          code: "NOT_FOUND",
          message: `latchkey does not serve ${name} of v1; in v2 it is POST /v2/${inV2}. ${README}`,
        });
      }
      const existing = toRequest(`/v2/${inV2}`, "POST", listed);
      expect((await send(emulator, existing)).status).toBe(400);
    },
  );

  test.each(unserved)(
    "an unserved path is answered with 404, and what it may mean: %.60s",
    async (path, name, offer) => {
      const emulator = await givenEmulator();
      for (const method of ["GET", "POST"]) {
        const { status, headers, body } = await send(emulator, toRequest(path, method));

        expect(status).toBe(404);
        expect(body).toEqual({
          error: {
            code: "NOT_FOUND",
            docs: "https://unkey.dev/docs/api-reference/errors/code/NOT_FOUND",
            message: `latchkey does not serve ${name}; ${textOf(offer, name)}. ${endOf(path, name)}`,
            requestId: headers.get("unkey-request-id"),
          },
        });
        expect(headers.get("x-latchkey-hint")).toBeNull();
        expect(headers.get("access-control-allow-origin")).toBe("*");
      }
    },
  );

  test("an unserved path is compared with the user's own operations too", async () => {
    const emulator = await givenEmulator({ operations: [deleteIdentity] });

    const { body } = await send(emulator, toRequest("/v1/identities.deleteidentity", "POST"));

    expect(body.error.message).toContain(
      "closest that it serves is POST /v1/identities.deleteIdentity",
    );
  });

  test("an unserved path is recorded in the journal and the log with its message", async () => {
    const entries: LogEntry[] = [];
    const emulator = await givenEmulator({ log: (entry) => entries.push(entry) });

    const { body } = await send(emulator, toRequest("/v1/identities.createIdentity", "POST"));

    const common = { method: "POST", path: "/v1/identities.createIdentity", operation: undefined };
    const refused = { ...common, status: 404, code: "NOT_FOUND" };
    expect(emulator.requests.list()).toMatchObject([{ ...refused, answer: body }]);
    expect(entries).toMatchObject([
      { kind: "request", ...refused, message: body.error.message, hint: undefined },
    ]);
    await expect(emulator.requests.waitFor({ operation: "keys.createKey" }, 0)).rejects.toThrow(
      "seen: POST /v1/identities.createIdentity 404",
    );
  });
});

test.each(["/v1/identities.createIdentity", "/v1/keys.createKey/"])(
  "with the quirk plain-404, %s is answered with plain text and a hint",
  async (path) => {
    const entries: LogEntry[] = [];
    const log = (entry: LogEntry) => entries.push(entry);
    const emulator = await givenEmulator({ quirks: ["plain-404"], log });

    const answer = await emulator.fetch(toRequest(path, "GET"));

    expect([answer.status, await answer.text()]).toEqual([404, "404 Not Found"]);
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=UTF-8");
    const hint = answer.headers.get("x-latchkey-hint");
    expect(hint).toContain("latchkey does not serve");
    expect(answer.headers.get("access-control-expose-headers")).toContain("X-Latchkey-Hint");
    expect(entries).toMatchObject([{ status: 404, code: undefined, message: hint }]);
  },
);

function toRequest(path: string, method: string, headers: Record<string, string> = {}): Request {
  return new Request(`http://emulator.test${path}`, { method, headers });
}
