import { createHash } from "node:crypto";
import { isSecretName } from "../base/wording/mask.ts";
import { shorten } from "../base/wording/text.ts";
import type { Names } from "./names.ts";

/** A call that reached its operation. */
export interface Call {
  readonly operation: string;
  /** As the operation parsed it. */
  readonly input: unknown;
  readonly members: readonly Member[];
  /** The `User-Agent` of the client. */
  readonly client: string;
  /** What it asks for: the same text for equal calls. Empty until two runs have been compared. */
  asks: string;
  /** Whether it came before the mark, and so is no part of the program. */
  isSetup: boolean;
  /** Whether it took effect. */
  isDone: boolean;
  /** Whether a question was answered yes. */
  isYes?: boolean;
  /** The id of the record that it made by name. */
  made?: string;
}

/** A value in the input of a call. */
interface Member {
  /** Its operation and its path, like `keys.createKey meta.plan`. */
  readonly path: string;
  /** The value without ids, key values and times of this run. */
  readonly text: string;
  /** Words for a person: the name of a record, or like `limit=100`. */
  readonly words: readonly string[];
  /** Whether the words name a record. Other words tell calls apart only where names do not. */
  readonly isName: boolean;
}

/** The operations that make a record by name, with the member of the answer that has its id. */
export const makers: ReadonlyMap<string, string> = new Map([
  ["keys.createKey", "keyId"],
  ["keys.rerollKey", "keyId"],
  ["apis.createApi", "apiId"],
  ["identities.createIdentity", "identityId"],
  ["permissions.createRole", "roleId"],
  ["permissions.createPermission", "permissionId"],
]);

/** Members of an input that name a record. */
const NAMING =
  /(?:^|\.)(?:name|slug|externalId|identity|namespace|identifier|roles?|permissions?)(?:\[\])?$/;
const MAX_WORD = 40;

/** A call as it arrives. */
export function toCall(operation: string, input: unknown, client: string, names: Names): Call {
  const members = membersOf(input).map(([path, value]) => {
    const text = names.plain(typeof value === "string" ? value : JSON.stringify(value));
    // Most calls name the API, which says little.
    const found = typeof value === "string" && path !== "apiId" ? names.find(value) : undefined;
    const isName = found !== undefined || (typeof value === "string" && NAMING.test(path));
    const own = isSecretName(path) ? [] : [isName ? text : `${path}=${text}`];
    const words = (found?.words ?? own).map((word) => shorten(names.mask(word), MAX_WORD));
    return { path: `${operation} ${path}`, text, words, isName };
  });
  return { operation, input, members, client, asks: "", isSetup: false, isDone: false };
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

/** What two runs ask for alike: a member that only one of them has, like a UUID, says nothing of a call. */
export class Asking {
  readonly #alike: ReadonlySet<string>;

  constructor(first: readonly Call[], second: readonly Call[]) {
    const textsOf = (calls: readonly Call[]) =>
      calls.flatMap(({ members }) => members.map(({ path, text }) => `${path} ${text}`));
    const others = new Set(textsOf(second));
    this.#alike = new Set(textsOf(first).filter((text) => others.has(text)));
    for (const call of [...first, ...second]) call.asks = this.of(call);
  }

  /** The same text for calls that ask for the same. */
  of({ members, operation }: Call): string {
    const texts = members.map((each) =>
      this.#isAlike(each) ? `${each.path} ${each.text}` : each.path,
    );
    return JSON.stringify([operation, ...texts.toSorted()]);
  }

  /** Words of a call that are the same in each run. */
  wordsOf({ members }: Call, isName = true): string[] {
    const own = members.filter((each) => each.isName === isName && this.#isAlike(each));
    return [...new Set(own.flatMap(({ words }) => words))].filter((word) => !word.includes("*"));
  }

  /** A name for each of these calls, which ask for different things: like `createKey(main,user_9)`. */
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
      const hash = createHash("sha256").update((calls[index] as Call).asks);
      return `${name}~${hash.digest("hex").slice(0, 4)}`;
    });
  }

  #isAlike({ path, text }: Member): boolean {
    return this.#alike.has(`${path} ${text}`);
  }
}

function nameOf({ operation }: Call, words: readonly string[]): string {
  const inside = words.map((word) => word.replaceAll(/[\s,()]+/g, "_")).join(",");
  return operation.replace(/^.*\./, "") + (inside === "" ? "" : `(${inside})`);
}
