import { expect, test } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { givenEmulator, send } from "../_emulator.ts";
import { stateOf, type Version } from "./_keys.ts";
import {
  createMistakes as createMistakesV1,
  listMistakes as listMistakesV1,
  requestOf,
  type Draft,
  type Mistake as MistakeOfV1,
} from "./_mistakes.ts";
import {
  createMistakes as createMistakesV2,
  listMistakes as listMistakesV2,
  type Mistake as MistakeOfV2,
} from "./_mistakes-v2.ts";

/** A mistake in a call of either version. */
export interface Mistake extends Omit<MistakeOfV1, "code"> {
  /** The code of v1, or the last part of the type of v2. Empty where no operation refuses. */
  readonly label: string;
  /** True if every operation of the version finds it before it reads its own input. */
  readonly isCommon?: boolean;
}

const ofV1 = ({ code, ...rest }: MistakeOfV1): Mistake => ({
  ...rest,
  label: code,
  isCommon: true,
});
const ofV2 = ({ type, ...rest }: MistakeOfV2): Mistake => ({
  ...rest,
  label: type ?? "",
  isCommon: true,
});

const before = (mistakes: readonly MistakeOfV1[], step: string) =>
  mistakes.slice(
    0,
    mistakes.findIndex((mistake) => mistake.step === step),
  );

/** Mistakes that are found before the members of a body are read, by every operation of v1. */
const ofEveryPost = before(createMistakesV1, "body").map(ofV1);
/** The same for a query. */
const ofEveryGet = before(listMistakesV1, "query").map(ofV1);
/** Mistakes that are found before the operation runs, by every operation of v2. */
const ofEveryCallOfV2 = createMistakesV2
  .filter((mistake) => listMistakesV2.includes(mistake))
  .map(ofV2);

/** A call without a mistake, to the key `key_one`. */
export function draftOf(
  path: string,
  input: { readonly [member: string]: unknown },
  permissions: readonly string[],
): Draft {
  const isQuery = path === "/v1/keys.getKey";
  const members = { keyId: "key_one", ...input };
  return {
    method: isQuery ? "GET" : "POST",
    path,
    authorization: "Bearer root_token",
    headers: { "Content-Type": "application/json", Accept: "*/*" },
    query: isQuery ? Object.entries(members).map(([name, value]) => `${name}=${value}`) : [],
    body: isQuery ? undefined : members,
    edits: [],
    workspace: {},
    token: { permissions: [...permissions] },
    api: { storeEncryptedKeys: true },
  };
}

/** Changes members of the body or the query, or adds some to the body. */
export const withMembers = (members: object) => (draft: Draft) => {
  if (draft.body !== undefined) Object.assign(draft.body, members);
  for (const [name, value] of Object.entries(members)) {
    const isOther = (text: string) => !text.startsWith(`${name}=`);
    draft.query = draft.query.map((text) => (isOther(text) ? text : `${name}=${value}`));
  }
};

/** Takes away the permissions that end like this. */
export const without =
  (...actions: string[]) =>
  ({ token }: Draft): void => {
    token.permissions = token.permissions.filter((permission) =>
      actions.every((action) => !permission.endsWith(action)),
    );
  };

const byVersion = {
  v1: { badRequest: "BAD_REQUEST", forbidden: "INSUFFICIENT_PERMISSIONS", notFound: "NOT_FOUND" },
  v2: {
    badRequest: "unkey/application/invalid_input",
    forbidden: "unkey/authorization/insufficient_permissions",
    notFound: "unkey/data/key_not_found",
  },
} as const;

export const invalid = (version: Version, name: string, names: string, make: Mistake["make"]) => ({
  name,
  status: 400,
  label: byVersion[version].badRequest,
  names,
  make,
});

/** The mistakes in a call of every operation on a key, in the order of the checks. */
export function mistakesOf(
  version: Version,
  {
    action,
    isQuery = false,
    ofAnother = { status: 404, label: byVersion[version].notFound, names: '"key_other"' },
    schema,
  }: {
    readonly action: string;
    readonly isQuery?: boolean;
    /** How a key of another workspace is refused. Default: as if there was none. */
    readonly ofAnother?: Pick<Mistake, "status" | "label" | "names">;
    /** A mistake that the schema refuses. */
    readonly schema: Pick<Mistake, "names" | "make">;
  },
): Mistake[] {
  const { badRequest, forbidden, notFound } = byVersion[version];
  const bySchema = {
    name: "a member with a wrong value",
    status: 400,
    label: badRequest,
    step: "schema",
    ...schema,
  };
  const early =
    version === "v2"
      ? ofEveryCallOfV2.flatMap((mistake) =>
          mistake.step === "schema" ? [bySchema, mistake] : [mistake],
        )
      : [...(isQuery ? ofEveryGet : ofEveryPost), bySchema];
  const oneKey = { names: ["a key of another workspace"], because: "a call names one key" };
  return [
    ...early,
    {
      name: "an unknown key",
      status: 404,
      label: notFound,
      names: '"key_none"',
      excludes: oneKey,
      make: withMembers({ keyId: "key_none" }),
    },
    {
      name: "a key of another workspace",
      ...ofAnother,
      make: withMembers({ keyId: "key_other" }),
    },
    {
      name: `no right to ${action}`,
      status: 403,
      label: forbidden,
      names: `api.*.${action}`,
      make: without(`.${action}`),
    },
  ];
}

const fixturesOf = ({ api, token, workspace }: Draft): Fixture[] => [
  {
    workspace: { id: "ws_one", ...workspace },
    tokens: [{ token: "root_token", ...token }],
    apis: [{ id: "api_one", ...api }],
    roles: [{ name: "known_role" }],
    keys: [
      {
        id: "key_one",
        apiId: "api_one",
        start: "one",
        remaining: 5,
        roles: ["old_role"],
        permissions: ["old_permission"],
      },
    ],
  },
  {
    workspace: { id: "ws_two" },
    tokens: [{ token: "other_token" }],
    apis: [{ id: "api_two" }],
    keys: [{ id: "key_other", apiId: "api_two", start: "other" }],
  },
];

/** Sends calls with mistakes. Calls to the same world share an emulator, which refusals do not change. */
class Sender {
  readonly #start: () => Draft;
  readonly #worlds = new Map<string, { readonly emulator: Emulator; readonly state: string }>();

  constructor(start: () => Draft) {
    this.#start = start;
  }

  async answerTo(mistakes: readonly Mistake[]) {
    const draft = this.#start();
    for (const { make } of mistakes) make(draft);
    const emulator = await this.#open(fixturesOf(draft));
    const answer = await send(emulator, requestOf(draft));
    const hint = answer.headers.get("x-latchkey-hint") ?? "";
    const text = JSON.stringify(answer.body.error ?? null).replaceAll('\\"', '"') + hint;
    return { ...answer, text };
  }

  expectUnchanged(): void {
    for (const { emulator, state } of this.#worlds.values()) expect(stateOf(emulator)).toBe(state);
  }

  async #open(fixtures: Fixture[]): Promise<Emulator> {
    const name = JSON.stringify(fixtures);
    const opened = this.#worlds.get(name)?.emulator;
    if (opened !== undefined) return opened;
    const emulator = await givenEmulator({ fixtures });
    this.#worlds.set(name, { emulator, state: stateOf(emulator) });
    return emulator;
  }
}

/** What a refusal calls itself: the code of v1, or the last part of the type of v2. */
function labelOf({ code, type = "" }: { readonly code?: string; readonly type?: string }): string {
  return code ?? type.replace(/^about:blank$|^https:\/\/unkey\.com\/docs\/errors\//, "");
}

/**
 * Tests that of two mistakes in one call, the refusal names the first and leaves nothing behind.
 * @param all in the order of the checks
 */
export function testOrderOfChecks(
  version: Version,
  start: () => Draft,
  all: readonly Mistake[],
): void {
  test(`a call of ${version} without a mistake is answered with 200`, async () => {
    expect((await new Sender(start).answerTo([])).status).toBe(200);
  });

  async function expectFirst(sender: Sender, first: Mistake): Promise<void> {
    const excluded = first.excludes?.names ?? [];
    const pairs = all.slice(all.indexOf(first) + 1).flatMap((second) => {
      // Pairs of two common mistakes are the same for every operation: two-mistakes.test.ts.
      const isTested = first.isCommon === true && second.isCommon === true;
      return isTested || excluded.includes(second.name) ? [] : [[second]];
    });
    for (const second of [[], ...pairs]) {
      const answer = await sender.answerTo([first, ...second]);
      const title = [first, ...second].map(({ name }) => name).join(" beside ");
      const found = [answer.status, labelOf(answer.body.error)];
      expect(found, title).toEqual([first.status, first.label]);
      expect(answer.text, title).toContain(first.names);
      for (const { names, step } of second) {
        expect(answer.text.includes(names), title).toBe(step !== undefined && step === first.step);
      }
    }
  }

  test(`${version} reports what all operations refuse before what this one does`, async () => {
    const sender = new Sender(start);
    for (const first of all) if (first.isCommon === true) await expectFirst(sender, first);
    sender.expectUnchanged();
  });

  const own = all.filter(({ isCommon }) => isCommon !== true);
  test.each(own)(`${version} reports $name, alone and before all later mistakes`, async (first) => {
    const sender = new Sender(start);
    await expectFirst(sender, first);
    sender.expectUnchanged();
  });
}
