import { createHash } from "node:crypto";
import { isSecretName } from "../base/wording/mask.ts";
import { shorten } from "../base/wording/text.ts";
import type { Names } from "./names.ts";

/** A call that reached its operation. */
export interface Call {
  readonly operation: string;
  /** The parsed input. */
  readonly input: unknown;
  readonly members: readonly Member[];
  /** The `User-Agent` of the client. */
  readonly client: string;
  /** The same text for equal calls. Empty until two runs have been compared. */
  fingerprint: string;
  /** Whether it came before the mark, so it is part of the setup. */
  isSetup: boolean;
  /** Whether it took effect. */
  tookEffect: boolean;
  /** For verifications and limits: whether the answer was yes. */
  isYes?: boolean;
  /** The id of the record that it created. */
  createdId?: string;
}

/** A value in the input of a call. */
interface Member {
  /** The operation and the path of the value, like `keys.createKey meta.plan`. */
  readonly path: string;
  /** The value, without ids, key values and times that this run generated. */
  readonly text: string;
  /** Words to show: the name of a record, or like `limit=100`. */
  readonly words: readonly string[];
  /** Whether the words name a record. Other words are shown only if names do not distinguish calls. */
  readonly isName: boolean;
}

/** The member of the answer that has the id of the new record, for operations that create one by name. */
export const createdIdMembers: ReadonlyMap<string, string> = new Map([
  ["keys.createKey", "keyId"],
  ["keys.rerollKey", "keyId"],
  ["apis.createApi", "apiId"],
  ["identities.createIdentity", "identityId"],
  ["permissions.createRole", "roleId"],
  ["permissions.createPermission", "permissionId"],
]);

/** Paths of an input that name a record. */
const NAMING =
  /(?:^|\.)(?:name|slug|externalId|identity|namespace|identifier|roles?|permissions?)(?:\[\])?$/;
const MAX_WORD = 40;

export function toCall(operation: string, input: unknown, client: string, names: Names): Call {
  const members = membersOf(input).map(([path, value]) => {
    const text = names.normalized(typeof value === "string" ? value : JSON.stringify(value));
    // Most calls name the same API, so its name would not distinguish them.
    const found = typeof value === "string" && path !== "apiId" ? names.find(value) : undefined;
    const isName = found !== undefined || (typeof value === "string" && NAMING.test(path));
    const own = isSecretName(path) ? [] : [isName ? text : `${path}=${text}`];
    const words = (found?.words ?? own).map((word) => shorten(names.mask(word), MAX_WORD));
    return { path: `${operation} ${path}`, text, words, isName };
  });
  return { operation, input, members, client, fingerprint: "", isSetup: false, tookEffect: false };
}

/** Each value in an input with its path, like `meta.plan` or `roles[]`. */
function membersOf(value: unknown, path = ""): (readonly [path: string, value: unknown])[] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null) return [[path, value]];
  const toPath = (name: string) => (path === "" ? name : `${path}.${name}`);
  return Object.entries(value).flatMap(([name, member]) =>
    membersOf(member, Array.isArray(value) ? `${path}[]` : toPath(name)),
  );
}

/** Recognizes equal calls of different runs. Values that only one run sends, like a UUID, are ignored. */
export class Fingerprints {
  readonly #shared: ReadonlySet<string>;
  /** The values that the calls of both runs have. */
  readonly values: readonly string[];

  constructor(first: readonly Call[], second: readonly Call[]) {
    const membersIn = (calls: readonly Call[]) => calls.flatMap(({ members }) => members);
    const others = new Set(membersIn(second).map(placeOf));
    const shared = membersIn(first).filter((each) => others.has(placeOf(each)));
    this.#shared = new Set(shared.map(placeOf));
    this.values = shared.map(({ text }) => text);
    for (const call of [...first, ...second]) call.fingerprint = this.of(call);
  }

  /** The same text for equal calls. */
  of({ members, operation }: Call): string {
    const texts = members.map((each) => (this.#isShared(each) ? placeOf(each) : each.path));
    return JSON.stringify([operation, ...texts.toSorted()]);
  }

  /** Words that describe a call in every run. */
  wordsOf({ members }: Call, isName = true): string[] {
    const own = members.filter((each) => each.isName === isName && this.#isShared(each));
    return [...new Set(own.flatMap(({ words }) => words))].filter((word) => !word.includes("*"));
  }

  /** A name for each of these calls, which are not equal: like `createKey(main,user_9)`. */
  namesOf(calls: readonly Call[]): string[] {
    const names = calls.map((call) => nameOf(call, this.wordsOf(call)));
    const longer = calls.map((call, index) => {
      const rivals = calls.filter((_, other) => names[other] === names[index]);
      const isShared = (word: string) =>
        rivals.every((rival) => this.wordsOf(rival, false).includes(word));
      const others = this.wordsOf(call, false).filter((word) => !isShared(word));
      return nameOf(call, [...this.wordsOf(call), ...others.slice(0, 3)]);
    });
    return longer.map((name, index) => {
      if (longer.indexOf(name) === longer.lastIndexOf(name)) return name;
      const hash = createHash("sha256").update((calls[index] as Call).fingerprint);
      return `${name}~${hash.digest("hex").slice(0, 4)}`;
    });
  }

  #isShared(member: Member): boolean {
    return this.#shared.has(placeOf(member));
  }
}

function placeOf({ path, text }: Member): string {
  return `${path} ${text}`;
}

function nameOf({ operation }: Call, words: readonly string[]): string {
  const inside = words.map((word) => word.replaceAll(/[\s,()]+/g, "_")).join(",");
  return operation.replace(/^.*\./, "") + (inside === "" ? "" : `(${inside})`);
}
