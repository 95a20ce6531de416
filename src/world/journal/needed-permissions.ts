import { lazily } from "../../base/lazily.ts";
import type { Mask } from "../../base/wording/mask.ts";
import * as f from "../../schema/fields.ts";
import { isUsedFor, type NeededRight, urnOf } from "../../api/urn.ts";
import type { Store } from "../../state/store.ts";
import type { Workspace } from "../../state/workspace.ts";

/** The permissions that a call has demanded so far, and those that its token lacks. */
export interface CallRights {
  readonly token: string;
  readonly workspace: Pick<Workspace, "id" | "apis">;
  readonly demanded: NeededRight[];
  readonly missing: NeededRight[];
}

const permissionName = lazily(() => f.described(f.text(), "The name of a permission."));

export const tokenNeeds = lazily(() =>
  f.component("TokenNeeds", "The permissions that a token needs.", {
    token: f.described(
      f.text(),
      "`tokens[0]` for the first listed token; `unlisted[0]` for the first one that is not listed.",
    ),
    permissions: f.described(
      f.listOf(permissionName(), "permissions"),
      "The least permissions with which all of its calls pass.",
    ),
    urns: f.described(
      f.listOf(permissionName(), "permissions"),
      "The same as URNs, as far as the service has any for them.",
    ),
    unused: f.described(
      f.listOf(permissionName(), "permissions"),
      "The permissions of a listed token that no call needed.",
    ),
    refused: f.described(
      f.listOf(
        f.objectOf({
          operation: f.described(f.text(), "The operation that needed it."),
          permission: f.described(f.text(), "The permission that is missing."),
          calls: f.described(
            f.integer({ min: 1 }),
            "How many calls were refused because it was missing.",
          ),
        }),
        "refused rights",
      ),
      "Rights that calls needed and their token lacked, also behind a 404 or the code `NOT_FOUND`.",
    ),
  }),
);
/** The permissions that one token needs for the calls that it made. */
export type TokenNeeds = f.ShownBy<typeof tokenNeeds>;
/** A right that calls needed and their token lacked. */
export type RefusedRight = TokenNeeds["refused"][number];

export const needsOptions = lazily(() =>
  f.objectOf({
    anyApi: f.optional(f.flag(), "Whether to name `*` in place of each API and each namespace."),
    all: f.optional(
      f.flag(),
      "Whether to count all calls since the start: also before a reset, and with `isolate` the calls of all tokens. This needs the control token, or a listed token that may use control routes.",
    ),
  }),
);
/** Options of `neededPermissions` of an emulator. */
export type EmulatorNeedsOptions = f.ShownBy<typeof needsOptions>;
/** Options of `neededPermissions`. */
export type NeedsOptions = Pick<EmulatorNeedsOptions, "anyApi">;

/**
 * The first 100 tokens are remembered, and the first 1,000 rights of each. Further rights count as rights
 * on any API.
 */
const [MAX_TOKENS, MAX_RIGHTS] = [100, 1_000];

/** A right on any record of an API, a namespace or a workspace. */
interface Right extends NeededRight {
  /** The permission that grants it, as a URN if the service has one. */
  readonly urn: string;
}

interface Demands {
  /** Rights that the token had, by their alternatives. */
  readonly met: Map<string, Right>;
  /** All rights that refused calls needed, including those that the token had. */
  readonly tried: Map<string, Right>;
  readonly refused: Map<string, RefusedRight & Right>;
}

/** The permissions that the calls of a world needed. */
export class NeededPermissions {
  readonly #byToken = new Map<string, Demands>();
  readonly #all: NeededPermissions | undefined;

  /** @param all receives everything too, and is not cleared with this one */
  constructor(all?: NeededPermissions) {
    this.#all = all;
  }

  /**
   * Notes the rights of a call. If it was refused because a right was missing, it is not certain that it
   * needs the others, so they are kept apart.
   */
  note(operation: string, rights: CallRights): void {
    const { demanded, missing, token, workspace } = rights;
    let demands = this.#byToken.get(token);
    if (demands === undefined) {
      if (this.#byToken.size === MAX_TOKENS) return;
      demands = { met: new Map(), tried: new Map(), refused: new Map() };
      this.#byToken.set(token, demands);
    }
    if (missing.length === 0) {
      for (const right of demanded) {
        const key = keyOf(right);
        if (demands.met.has(key)) continue;
        keep(demands.met, key, toRight(right, workspace));
        this.#all?.note(operation, { token, workspace, demanded: [right], missing });
      }
      return;
    }
    for (const right of demanded) keep(demands.tried, keyOf(right), toRight(right, workspace));
    for (const right of missing) {
      const key = `${operation}\n${keyOf(right)}`;
      const { calls = 0 } = demands.refused.get(key) ?? {};
      if (calls === 0 && demands.refused.size === MAX_RIGHTS) continue;
      const noted = toRight(right, workspace);
      demands.refused.set(key, { operation, permission: "", calls: calls + 1, ...noted });
    }
    this.#all?.note(operation, rights);
  }

  /**
   * The needs of each token, in the order of their first calls.
   * @param maskWith masks secrets and this token, because a client may send any text as an id
   */
  list(
    store: Store,
    { anyApi = false }: NeedsOptions,
    maskWith: (token: string) => Mask,
  ): TokenNeeds[] {
    const listed = listedIn(store);
    let unlisted = 0;
    const nextName = () => `unlisted[${(unlisted += 1) - 1}]`;
    return Array.from(this.#byToken, ([token, { met, refused, tried }]) => {
      const masked = maskWith(token);
      const { name = nextName(), permissions = [] } = listed.get(token) ?? {};
      const rights = [...met.values()];
      const demanded = [...rights, ...tried.values()];
      const isUsed = (one: string) => demanded.some((right) => isUsedFor(one, right, right.urn));
      return {
        token: name,
        permissions: [...new Set(least(rights, anyApi).map(masked))],
        urns: [...new Set(rights.map(({ urn }) => masked(anyApi ? toAny(urn) : urn)))].sort(),
        unused: permissions.filter((one) => !one.startsWith("latchkey.") && !isUsed(one)),
        refused: Array.from(refused.values(), ({ calls, operation, ...right }) => ({
          operation,
          permission: masked(pick(right, anyApi)),
          calls,
        })),
      };
    });
  }

  clear(): void {
    this.#byToken.clear();
  }
}

/** The listed tokens, with names by which a person finds them. */
function listedIn({ defaultId, workspaces }: Store) {
  const entries = workspaces.all.flatMap(({ id, tokens }) =>
    tokens.all().map(({ permissions, token }, index) => {
      const place = id === defaultId ? "" : `${id}: `;
      return [token, { name: `${place}tokens[${index}]`, permissions }] as const;
    }),
  );
  return new Map(entries);
}

/** Limits the memory. Further tokens that are not listed are all called `unlisted`. */
const MAX_CALLERS = 1_000;

/** Names the tokens that called a world, without showing them. */
export class Callers {
  readonly #store: Store;
  /** In the order of their first calls. */
  readonly #tokens = new Set<string>();
  #names: { readonly of: string; readonly byToken: ReadonlyMap<string, string> } | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  note(token: string): void {
    if (this.#tokens.size < MAX_CALLERS) this.#tokens.add(token);
  }

  /** `tokens[0]` for the first listed token, `unlisted[0]` for the first other one that called. */
  readonly nameOf = (token: string): string => {
    const of = `${this.#store.revision} ${this.#tokens.size}`;
    if (this.#names?.of !== of) this.#names = { of, byToken: this.#namesNow() };
    return this.#names.byToken.get(token) ?? "unlisted";
  };

  clear(): void {
    this.#tokens.clear();
    this.#names = undefined;
  }

  #namesNow(): ReadonlyMap<string, string> {
    const listed = listedIn(this.#store);
    const others = [...this.#tokens].filter((token) => !listed.has(token));
    return new Map([
      ...Array.from(listed, ([token, { name }]) => [token, name] as const),
      ...others.map((token, index) => [token, `unlisted[${index}]`] as const),
    ]);
  }
}

/** A right on one key, role or identity counts as a right on any, because a program uses others too. */
function toRight({ like, oneOf }: NeededRight, { apis, id }: CallRights["workspace"]): Right {
  // Derived keyspace ids differ at the next start.
  const scope = { id, apis: { get: (apiId: string) => apis.findWithGivenKeyspace(apiId) } };
  const general = oneOf.find((name) => name.startsWith("identity.*."));
  const right = { like: like ?? general, oneOf };
  return { ...right, urn: urnOf(right, scope) ?? oneOf[0] ?? "" };
}

/** The URN for all APIs or namespaces. */
function toAny(urn: string): string {
  return urn.replace(/(\/(?:keyspaces|namespaces))\/[^/#]+/, "$1/*");
}

function keep(met: Demands["met"], key: string, right: Right): void {
  if (met.size < MAX_RIGHTS) met.set(key, right);
  const any = right.oneOf.find(isForAny);
  if (met.size < MAX_RIGHTS || any === undefined) return;
  met.set(any, { ...right, oneOf: [any], urn: toAny(right.urn) });
}

function isForAny(permission: string): boolean {
  return permission.includes(".*.");
}

/** Equal for rights that `toRight` treats as the same. */
function keyOf({ like = "", oneOf }: NeededRight): string {
  const [first = like] = oneOf;
  if (oneOf.length < 2 && like === "") return first;
  return oneOf.find((name) => name.startsWith("identity.*.")) ?? [like, ...oneOf].join("\n");
}

/** The shortest list that has one of the alternatives of each right. */
function least(rights: readonly Right[], anyApi: boolean): readonly string[] {
  const single = rights.filter(({ oneOf }) => oneOf.length < 2);
  const chosen = new Set(single.map((right) => pick(right, anyApi)));
  const isMet = ({ oneOf, urn }: Right) => [urn, ...oneOf].some((name) => chosen.has(name));
  for (const right of rights) if (!isMet(right)) chosen.add(pick(right, anyApi));
  // A later choice may have made an earlier one unnecessary.
  const choices = [...chosen];
  for (const name of choices) {
    chosen.delete(name);
    if (!rights.every(isMet)) chosen.add(name);
  }
  return [...chosen].sort();
}

/** The alternative for one API, or for any API; else the URN. */
function pick({ oneOf, urn }: Right, anyApi: boolean): string {
  const prefersAny = anyApi || oneOf.some((name) => name.startsWith("identity.*."));
  return oneOf.find((name) => isForAny(name) === prefersAny) ?? oneOf[0] ?? urn;
}
