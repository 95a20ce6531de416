import { lazily } from "../../base/lazily.ts";
import type { Mask } from "../../base/wording/mask.ts";
import {
  described,
  docs,
  flag,
  integer,
  listOf,
  objectOf,
  optional,
  type ShownBy,
  text,
} from "../../schema/fields.ts";
import type { Store } from "../../state/store.ts";

/** Permissions of which a call needs one. */
interface Alternatives {
  readonly oneOf: readonly string[];
}

/** What a call demanded of its token, and what of it the token does not have. */
interface CallRights {
  readonly token: string;
  readonly demanded: readonly Alternatives[];
  readonly missing: readonly Alternatives[];
}

const permissionName = lazily(() => described(text(), "The name of a permission."));

export const tokenNeeds = lazily(() =>
  objectOf({
    token: described(
      text(),
      "`tokens[0]` for the first listed token; `unlisted[0]` for the first one that is not listed.",
    ),
    permissions: described(
      listOf(permissionName(), "permissions"),
      "The least permissions with which all of its calls pass.",
    ),
    unused: described(
      listOf(permissionName(), "permissions"),
      "The permissions that a listed token has, and that no call demanded.",
    ),
    refused: described(
      listOf(
        objectOf({
          operation: described(text(), "The operation that demanded it."),
          permission: described(text(), "The permission that is missing."),
          calls: described(integer({ min: 1 }), "How many calls were refused for want of it."),
        }),
        "refused rights",
      ),
      "Rights that calls demanded in vain, also where the answer was a 404 or the code `NOT_FOUND`.",
    ),
  }).register(docs, { id: "TokenNeeds", description: "The permissions that a token needs." }),
);
/** The permissions that one token needs for the calls that it made. */
export type TokenNeeds = ShownBy<typeof tokenNeeds>;
/** A right that calls demanded and their token did not have. */
export type RefusedRight = TokenNeeds["refused"][number];

export const needsOptions = lazily(() =>
  objectOf({
    anyApi: optional(flag(), "Whether to name `*` in place of each API and each namespace."),
    all: optional(
      flag(),
      "Whether to count all calls since the start: also those before a reset, and with `isolate` those of all tokens. This needs the control token, or a listed token that may use control routes.",
    ),
  }),
);
/** Options of `neededPermissions` of an emulator. */
export type EmulatorNeedsOptions = ShownBy<typeof needsOptions>;
/** Options of `neededPermissions`. */
export type NeedsOptions = Pick<EmulatorNeedsOptions, "anyApi">;

/**
 * The first 100 tokens are remembered, and the first 1,000 rights of each. Of more rights, that on any
 * API is remembered.
 */
const [MAX_TOKENS, MAX_RIGHTS] = [100, 1_000];

interface Demands {
  /** The rights that the token had, by their alternatives. */
  readonly met: Map<string, Alternatives>;
  /** The rights that calls demanded that were refused, also those that the token had. */
  readonly tried: Map<string, Alternatives>;
  readonly refused: Map<string, RefusedRight & Alternatives>;
}

/** What the calls of a world demanded of their tokens. */
export class NeededPermissions {
  readonly #byToken = new Map<string, Demands>();
  readonly #all: NeededPermissions | undefined;

  /** @param all is told of everything too, and does not forget it when this is cleared */
  constructor(all?: NeededPermissions) {
    this.#all = all;
  }

  /**
   * Notes the rights of a call. If it was refused for want of a right, nothing shows that it needs the
   * others too, so they are noted apart.
   */
  note(operation: string, rights: CallRights): void {
    const { demanded, missing, token } = rights;
    const demands = this.#demandsOf(token);
    if (demands === undefined) return;
    if (missing.length === 0) {
      for (const right of demanded) {
        const key = keyOf(right);
        if (demands.met.has(key)) continue;
        keep(demands.met, key, right);
        this.#all?.note(operation, { token, demanded: [right], missing });
      }
      return;
    }
    for (const right of demanded) keep(demands.tried, keyOf(right), right);
    for (const right of missing) {
      const key = `${operation}\n${keyOf(right)}`;
      const { calls = 0 } = demands.refused.get(key) ?? {};
      if (calls === 0 && demands.refused.size === MAX_RIGHTS) continue;
      const { oneOf } = right;
      demands.refused.set(key, { operation, permission: "", calls: calls + 1, oneOf });
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
      const used = new Set([...rights, ...tried.values()].flatMap(({ oneOf }) => oneOf));
      return {
        token: name,
        permissions: [...new Set(least(rights, anyApi).map(masked))],
        unused: permissions.filter((one) => !used.has(one) && !one.startsWith("latchkey.")),
        refused: Array.from(refused.values(), ({ oneOf, ...right }) => ({
          ...right,
          permission: masked(pick(oneOf, anyApi)),
        })),
      };
    });
  }

  clear(): void {
    this.#byToken.clear();
  }

  #demandsOf(token: string): Demands | undefined {
    const known = this.#byToken.get(token);
    if (known !== undefined || this.#byToken.size === MAX_TOKENS) return known;
    const demands: Demands = { met: new Map(), tried: new Map(), refused: new Map() };
    this.#byToken.set(token, demands);
    return demands;
  }
}

/** The listed tokens, with the names that a person finds them by. */
export function listedIn({ defaultId, workspaces }: Store) {
  const entries = workspaces.all().flatMap(({ id, tokens }) =>
    tokens.all().map(({ permissions, token }, index) => {
      const place = id === defaultId ? "" : `${id}: `;
      return [token, { name: `${place}tokens[${index}]`, permissions }] as const;
    }),
  );
  return new Map(entries);
}

function keep(met: Demands["met"], key: string, right: Alternatives): void {
  if (met.size < MAX_RIGHTS) met.set(key, right);
  const any = right.oneOf.find(isForAny);
  if (met.size >= MAX_RIGHTS && any !== undefined) met.set(any, { oneOf: [any] });
}

function isForAny(permission: string): boolean {
  return permission.includes(".*.");
}

/** A right on one identity counts as that on any, because a program that reads one reads others too. */
function keyOf({ oneOf }: Alternatives): string {
  const [first = ""] = oneOf;
  if (oneOf.length === 1) return first;
  return oneOf.find((name) => name.startsWith("identity.*.")) ?? oneOf.join("\n");
}

/** The shortest list that has one of the alternatives of each right. */
function least(rights: readonly Alternatives[], anyApi: boolean): readonly string[] {
  const single = rights.filter(({ oneOf }) => oneOf.length === 1);
  const chosen = new Set(single.map(({ oneOf }) => pick(oneOf, anyApi)));
  const isMet = ({ oneOf }: Alternatives) => oneOf.some((name) => chosen.has(name));
  for (const right of rights) if (!isMet(right)) chosen.add(pick(right.oneOf, anyApi));
  // A later choice may have made an earlier one needless.
  const choices = [...chosen];
  for (const name of choices) {
    chosen.delete(name);
    if (!rights.every(isMet)) chosen.add(name);
  }
  return [...chosen].sort();
}

/** The alternative for one API, or the one for any. */
function pick(oneOf: readonly string[], anyApi: boolean): string {
  const prefersAny = anyApi || oneOf.some((name) => name.startsWith("identity.*."));
  return oneOf.find((name) => isForAny(name) === prefersAny) ?? oneOf[0] ?? "";
}
