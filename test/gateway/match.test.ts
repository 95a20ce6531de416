import { expect, test } from "vitest";
import type { Policy } from "../../src/gateway.ts";
import { givenGateway } from "./_gateway.ts";

type Match = NonNullable<Policy["match"]>[number];

/** Whether a policy with these expressions applies: then its firewall denies the request. */
async function isMatch(
  match: readonly Match[],
  path = "/",
  headers: Record<string, string> = {},
  method = "GET",
): Promise<boolean> {
  const { ask } = await givenGateway({
    policies: [{ match: [...match], firewall: { action: "ACTION_DENY" } }],
  });
  return (await ask(path, headers, { method })).status === 403;
}

test.each<[string, readonly Match[], string, boolean]>([
  ["no expression", [], "/api", true],
  ["an empty expression", [{}], "/api", false],
  ["exact", [{ path: { path: { exact: "/api/v1" } } }], "/api/v1", true],
  ["exact, without the query", [{ path: { path: { exact: "/api/v1" } } }], "/api/v1?a=1", true],
  ["exact, another", [{ path: { path: { exact: "/api/v1" } } }], "/api/v2", false],
  ["exact, in another case", [{ path: { path: { exact: "/api/v1" } } }], "/API/V1", false],
  [
    "exact, in any case",
    [{ path: { path: { exact: "/api/v1", ignoreCase: true } } }],
    "/API/V1",
    true,
  ],
  ["exact, decoded", [{ path: { path: { exact: "/a b" } } }], "/a%20b", true],
  ["prefix", [{ path: { path: { prefix: "/api/v1" } } }], "/api/v1/users", true],
  ["prefix, longer", [{ path: { path: { prefix: "/api/v1" } } }], "/api", false],
  [
    "prefix, in any case",
    [{ path: { path: { prefix: "/API", ignoreCase: true } } }],
    "/api/v1",
    true,
  ],
  [
    "regex",
    [{ path: { path: { regex: String.raw`^/api/v\d+/users/\d+$` } } }],
    "/api/v2/users/123",
    true,
  ],
  ["regex, anywhere", [{ path: { path: { regex: "users" } } }], "/api/users/1", true],
  ["regex, in any case", [{ path: { path: { regex: "^/API", ignoreCase: true } } }], "/api", true],
  ["no text", [{ path: { path: {} } }], "/api", true],
  ["no path", [{ path: {} }], "/api", true],
])("a path matches by %s", async (_, match, path, expected) => {
  expect(await isMatch(match, path)).toBe(expected);
});

test.each<[string, string, boolean]>([
  ["(?i)^/API", "/api", true],
  [String.raw`\A/api\z`, "/api", true],
  [String.raw`\A/api\z`, "/api/", false],
  ["^/(?P<version>v[[:digit:]]+)$", "/v12", true],
  [String.raw`^/\pN+$`, "/%D9%A3", true],
  [String.raw`^/\p{Greek}$`, "/%CE%B1", true],
  [String.raw`^/[^[:alpha:]]$`, "/a", false],
  [String.raw`^/\x{e9}$`, "/%C3%A9", true],
  [String.raw`\s`, "/%C2%A0", false],
  ["^/.$", "/%0D", true],
  ["^/.$", "/%0A", false],
])("the regular expression %s of RE2 matches %s: %j", async (regex, path, expected) => {
  expect(await isMatch([{ path: { path: { regex } } }], path)).toBe(expected);
});

test.each<[string, string[] | undefined, boolean]>([
  ["GET", ["GET"], true],
  ["POST", ["GET", "POST"], true],
  ["POST", ["get", "post"], true],
  ["DELETE", ["GET", "POST"], false],
  ["DELETE", [], true],
  ["DELETE", undefined, true],
])("the method %s matches %j: %j", async (method, methods, expected) => {
  expect(await isMatch([{ method: methods ? { methods } : {} }], "/", {}, method)).toBe(expected);
});

const token = { Authorization: "Bearer token" };
test.each<[string, Match["header"], Record<string, string>, boolean]>([
  ["present", { name: "Authorization", present: true }, token, true],
  ["present, missing", { name: "Authorization", present: true }, {}, false],
  ["absent", { name: "Authorization", present: false }, {}, true],
  ["absent, there", { name: "Authorization", present: false }, token, false],
  ["neither", { name: "authorization" }, token, true],
  ["neither, missing", { name: "authorization" }, {}, false],
  [
    "value",
    { name: "Content-Type", value: { exact: "application/json" } },
    { "content-type": "application/json" },
    true,
  ],
  ["one of several values", { name: "X-Tag", value: { exact: "b" } }, { "X-Tag": "a, b" }, true],
  ["another value", { name: "X-Tag", value: { exact: "c" } }, { "X-Tag": "a, b" }, false],
  ["a value that is missing", { name: "X-Tag", value: {} }, {}, false],
])("a header matches by %s", async (_, header, headers, expected) => {
  expect(await isMatch([header ? { header } : {}], "/", headers)).toBe(expected);
});

test.each<[string, Match["queryParam"], string, boolean]>([
  ["present", { name: "debug", present: true }, "/?debug=true", true],
  ["present, without a value", { name: "debug", present: true }, "/?debug", true],
  ["absent", { name: "debug", present: false }, "/", true],
  ["neither", { name: "debug" }, "/?debug", true],
  ["its name in another case", { name: "Debug" }, "/?debug", false],
  ["value", { name: "version", value: { prefix: "v" } }, "/?version=v2", true],
  ["value, decoded", { name: "q", value: { exact: "a b" } }, "/?q=a%20b", true],
  ["one of several values", { name: "tag", value: { exact: "b" } }, "/?tag=a&tag=b", true],
  ["another value", { name: "tag", value: { exact: "c" } }, "/?tag=a", false],
])("a query parameter matches by %s", async (_, queryParam, path, expected) => {
  expect(await isMatch([queryParam ? { queryParam } : {}], path)).toBe(expected);
});

test("a policy applies if all its expressions match", async () => {
  const match: Match[] = [
    { path: { path: { prefix: "/api" } } },
    { method: { methods: ["GET", "POST"] } },
  ];

  expect(await isMatch(match, "/api/v1", {}, "DELETE")).toBe(false);
  expect(await isMatch(match, "/api/v1", {}, "POST")).toBe(true);
});
