import { Ajv2020 } from "ajv/dist/2020.js";
import { Validator } from "@seriousme/openapi-schema-validator";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { givenEmulator, NOW, post, send, type Answer } from "../_emulator.ts";
import { anyFixture } from "../_fixtures.ts";
import { createKeyV2, listKeysV2 } from "../_v2.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- the tests read members of the document at any depth
type Anything = any;
type VersionName = "v1" | "v2";

const documentOf = async (emulator: Emulator, version: VersionName): Promise<Anything> =>
  JSON.parse(JSON.stringify(await emulator.openapi(version)));
const document = await documentOf(await givenEmulator(), "v2");

test("the document of v2 is valid OpenAPI 3.1", async () => {
  const validator = new Validator();

  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

test("the document of v2 describes the members of a reply in the order of the wire", () => {
  const { CreateKeyResult, ListKeysResult, Problem } = document.components.schemas;

  expect(Object.keys(CreateKeyResult.properties)).toEqual(["data", "meta"]);
  expect(Object.keys(ListKeysResult.properties)).toEqual(["data", "meta", "pagination"]);
  const members = Object.keys(Problem.properties.error.properties);
  expect(members).toEqual(["detail", "errors", "status", "title", "type"]);
  expect(Problem.required).toEqual(["error", "meta"]);
});

test("every example of a refusal in the document of v2 has the status that it stands for", () => {
  for (const path of Object.values<Anything>(document.paths)) {
    const { "200": _, default: _other, ...refusals } = path.post.responses;
    for (const [status, { content }] of Object.entries<Anything>(refusals)) {
      expect(Object.keys(content)).toEqual(["application/json", "application/problem+json"]);
      for (const { example } of Object.values<Anything>(content)) {
        expect(example.error.status).toBe(Number(status));
      }
    }
  }
});

/** A schema with everything that it refers to put in its place. */
function inlined(schema: Anything, { components }: Anything): Anything {
  if (Array.isArray(schema)) return schema.map((item) => inlined(item, { components }));
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref, ...rest } = schema;
  if ($ref !== undefined) {
    return inlined(components.schemas[$ref.replace("#/components/schemas/", "")], { components });
  }
  return Object.fromEntries(
    Object.entries(rest).map(([name, member]) => [name, inlined(member, { components })]),
  );
}

/** A schema that also refuses members that it does not name. */
function closed(schema: Anything): Anything {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.entries(schema).map(([name, member]) => [name, closed(member)]);
  const isOpen = typeof schema.properties === "object" && !("additionalProperties" in schema);
  return { ...Object.fromEntries(members), ...(isOpen ? { additionalProperties: false } : {}) };
}

const ajv = new Ajv2020({ strict: false, allErrors: true });

/** Checks a reply against the document of its version. */
function replyChecker(documents: Record<VersionName, Anything>) {
  const compiled = new Map<Anything, ReturnType<typeof ajv.compile>>();
  const checkerOf = (schema: Anything, document: Anything) => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const check = ajv.compile(closed(inlined(schema, document)));
    compiled.set(schema, check);
    return check;
  };
  return (version: VersionName, path: string, { body, headers, status }: Answer) => {
    const document = documents[version];
    const [operation] = Object.values<Anything>(document.paths[path]);
    const { content, headers: declared = {} } =
      operation.responses[status] ?? operation.responses.default;
    const type = headers.get("content-type")?.split(";")[0] ?? "";
    const check = checkerOf(content[type]?.schema, document);
    const isFit = check(body);
    expect(isFit, `${version} ${path} ${status}: ${JSON.stringify([check.errors, body])}`).toBe(
      true,
    );
    const sent = [...headers.keys()].filter((name) => /^(?:allow|unkey|www)/.test(name));
    expect(Object.keys(declared).map((name) => name.toLowerCase())).toEqual(
      expect.arrayContaining(sent),
    );
  };
}

/** Values that some members accept and others refuse. */
const scalars = [null, true, 0, 5, -1, 16, 1.5, 1e21, -1e21, 4_102_444_800_001];
const texts = ["", "a", "ab", "abc", "a b", "é".repeat(129), "x".repeat(300)];
const listed = [[], [""], ["abc", "a b"], [1, null], ["x".repeat(129)], Array(101).fill("abc")];
const anyValue = fc.constantFrom<unknown[]>(
  ...scalars,
  ...texts,
  ...listed,
  {},
  { a: 1 },
  { remaining: 5 },
  { remaining: 1e21 },
  { remaining: null, more: 1 },
  { remaining: 5, refill: { interval: "daily", amount: 1, refillDay: 3 } },
  { remaining: 5, refill: { interval: "monthly", amount: 1 } },
  { remaining: 5, refill: { interval: "weekly", amount: 0, refillDay: 32, more: 1 } },
  { refill: { interval: 7 } },
  { refill: [] },
  [{ name: "default", limit: 1, duration: 1_000, autoApply: true }],
  [{ name: "abc", limit: 0, duration: 999, autoApply: 1, more: true }, {}, 5],
  { limit: 1, duration: 1_000 },
  Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`m${index}`, index])),
);
const createMembers = fc.constantFrom(
  ...`prefix name byteLength externalId meta roles permissions expires credits ratelimits
  enabled recoverable apiId unknown remaining refill ratelimit ownerId environment`.split(/\s+/),
);
const listMembers = fc.constantFrom(
  ...`apiId limit cursor externalId decrypt revalidateKeysCache unknown`.split(/\s+/),
);
const apiId = fc.constantFrom("api_a", "api_b", "api_a", "api_b", "api_bare", "api_none");
const bodyOf = (members: fc.Arbitrary<string>) =>
  fc
    .tuple(apiId, fc.dictionary(members, anyValue, { maxKeys: 3 }))
    .map(([id, more]) => ({ apiId: id, ...more }));

const command = fc.oneof(
  fc.record({ kind: fc.constant("keys.createKey" as const), body: bodyOf(createMembers) }),
  fc.record({ kind: fc.constant("apis.listKeys" as const), body: bodyOf(listMembers) }),
  fc.record({ kind: fc.constant("text" as const), body: fc.constantFrom("", "{", "[]", '"a"') }),
  fc.record({
    kind: fc.constant("fault" as const),
    init: fc.constantFrom(
      ...[400, 401, 403, 404, 408, 409, 410, 412, 413, 418, 422, 429, 500, 503].map((status) => ({
        status,
      })),
      { type: "unkey/data/role_not_found" as const },
      { type: "unkey/data/tenant_gone", status: 410 },
      { type: "user/bad_request/client_closed_request" as const, when: "after" as const },
      { code: "DISABLED" as const },
    ),
  }),
);
const call = fc.record({
  version: fc.constantFrom<VersionName[]>("v1", "v2"),
  token: fc.constantFrom("all", "all", "all", "weak", "off", "old", "stranger", null),
  accept: fc.constantFrom("*/*", "application/json"),
  command,
});

test("every reply of a long random run fits the document of its version", async () => {
  const first = await givenEmulator();
  const expectFit = replyChecker({ v1: await documentOf(first, "v1"), v2: document });
  const statuses = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      anyFixture,
      fc.array(call, { minLength: 15, maxLength: 30 }),
      async (given, calls) => {
        const fixture: Fixture = {
          ...given,
          generate: [],
          apis: [...(given.apis ?? []), { id: "api_bare", keyspace: false }],
          tokens: [
            { token: "all", permissions: ["*"] },
            { token: "weak", permissions: ["api.*.read_key", "api.*.read_api"] },
            { token: "off", permissions: ["*"], enabled: false },
            { token: "old", permissions: ["*"], expires: NOW },
          ],
        };
        const emulator = await givenEmulator({ fixtures: [fixture] });
        for (const { accept, command: each, token, version } of calls) {
          if (each.kind === "fault") {
            emulator.faults.add({ ...each.init, version, times: 1 });
            continue;
          }
          const name = each.kind === "text" ? "keys.createKey" : each.kind;
          const path = `/${version}/${name}`;
          const options = { token, headers: { Accept: accept } };
          const query = () =>
            new URLSearchParams(
              Object.entries(each.body).map(([member, value]) => [member, String(value)]),
            );
          const answer =
            version === "v1" && name === "apis.listKeys"
              ? await send(
                  emulator,
                  new Request(`http://emulator.test${path}?${query()}`, {
                    headers: token === null ? {} : { Authorization: `Bearer ${token}` },
                  }),
                )
              : await post(emulator, path, each.body, options);
          expectFit(version, path, answer);
          statuses.add(`${version} ${answer.status}`);
        }
      },
    ),
    { numRuns: 15 },
  );
  // The run is useful only if it meets many kinds of replies.
  expect(statuses.size).toBeGreaterThan(6);
});

const schemaOf = (path: string) =>
  inlined(document.paths[path].post.requestBody.content["application/json"].schema, document);

/** Rewrites a member that may be null with a list of types, as JSON Schema also allows. */
function withTypeLists(schema: Anything): Anything {
  if (Array.isArray(schema)) return schema.map(withTypeLists);
  if (typeof schema !== "object" || schema === null) return schema;
  const { anyOf, ...rest } = schema;
  if (Array.isArray(anyOf) && anyOf.length === 2 && anyOf[1].type === "null") {
    return { ...anyOf[0], ...rest, type: [anyOf[0].type, "null"] };
  }
  return Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, withTypeLists(member)]),
  );
}

/**
 * The keywords that refuse an input. If the type is wrong, no other keyword counts, and neither do the
 * items of a list that is too long.
 */
function refusingKeywords(check: ReturnType<typeof ajv.compile>, input: unknown): string[] {
  if (check(input)) return [];
  const errors = check.errors ?? [];
  const placesOf = (word: string) =>
    errors.filter(({ keyword }) => keyword === word).map(({ instancePath }) => instancePath);
  const [mistyped, tooLong] = [placesOf("type"), placesOf("maxItems")];
  const counted = errors.filter(
    ({ instancePath, keyword }) =>
      (keyword === "type" || !mistyped.includes(instancePath)) &&
      !tooLong.some((place) => instancePath.startsWith(`${place}/`)),
  );
  return [...new Set(counted.map(({ schemaPath }) => schemaPath.slice(1)))].toSorted();
}

test.each([
  ["keys.createKey", bodyOf(createMembers), createKeyV2],
  ["apis.listKeys", bodyOf(listMembers), listKeysV2],
] as const)(
  "%s of v2 refuses what a validator of its document refuses, and names the same keywords",
  async (name, bodies, callV2) => {
    const check = ajv.compile(withTypeLists(schemaOf(`/v2/${name}`)));
    const apis = ["api_a", "api_b", "api_bare"].map((id) => ({ id }));
    const emulator = await givenEmulator({ fixtures: [{ apis }] });
    await fc.assert(
      fc.asyncProperty(bodies, async (members) => {
        const { body } = await callV2(emulator, members);
        const locations: string[] = (body.error?.errors ?? []).map(
          ({ location }: Anything) => location,
        );
        expect([...new Set(locations)].toSorted()).toEqual(refusingKeywords(check, members));
      }),
      { numRuns: 100 },
    );
  },
);

/** The value at a JSON pointer. */
const at = (schema: Anything, pointer: string) =>
  pointer
    .split("/")
    .slice(1)
    .reduce((value, step) => value?.[step], schema);

test("every location of a violation leads to a keyword of the document", async () => {
  const emulator = await givenEmulator();
  const schema = schemaOf("/v2/keys.createKey");
  const values = fc.sample(bodyOf(createMembers), { numRuns: 150, seed: 1 });
  const locations = new Set<string>();
  for (const value of [...values, [], null]) {
    const { body } = await createKeyV2(emulator, value);
    for (const { location } of body.error?.errors ?? []) locations.add(location);
  }
  // See the next test.
  const others = [...locations].filter((location) => !location.includes("/remaining/"));

  expect(others.length).toBeGreaterThan(20);
  for (const location of others) expect(at(schema, location), location).toBeDefined();
});
