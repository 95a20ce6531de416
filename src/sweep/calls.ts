import { createHash } from "node:crypto";
import { isSecretName } from "../base/wording/mask.ts";
import { shorten } from "../base/wording/text.ts";
import type { Emulator } from "../emulator/emulator.ts";

/** A call that reached its operation, known by what it asks for. */
export interface Call {
  readonly operation: string;
  /** As the operation parsed it; the same object before and after the call took effect. */
  readonly input: unknown;
  /** The members of the input, like `name "main"`, with names in place of ids and values of this run. */
  readonly members: readonly string[];
  /** Words that tell a person which call it is, the most telling first. */
  readonly words: readonly Word[];
  /** What the client calls itself. */
  readonly client: string;
  /** Whether it came before the mark: what it does is no part of the program. */
  isSetup: boolean;
  /** Whether it took effect. */
  isDone: boolean;
  /** Of a question, whether it was answered yes. */
  isYes?: boolean;
  /** The id of the record that it made by name. */
  made?: string;
}

interface Word {
  readonly text: string;
  /** Whether it names a record. Other members tell calls apart only where these do not. */
  readonly isName: boolean;
}

/** The operations that make a record, which their input names, with the member of the answer that has its id. */
export const makers: ReadonlyMap<string, string> = new Map([
  ["keys.createKey", "keyId"],
  ["keys.rerollKey", "keyId"],
  ["apis.createApi", "apiId"],
  ["identities.createIdentity", "identityId"],
  ["permissions.createRole", "roleId"],
  ["permissions.createPermission", "permissionId"],
]);

/** Times are other ones in each run, unless the program runs twice in one second. */
const TIMES = /(?<!\d)1\d{9}(?:\d{3})?(?!\d)|\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*/g;
const ID = /^(?:key|id|role|perm|api|ks|rlns|rlor)_\w+$/;

/**
 * What the ids and key values in a run are called: like their records. Ids differ from run to run, because
 * they have the time in them.
 */
export class Names {
  readonly #emulator: Emulator;
  /** The ids at the start, in their order. */
  readonly #given: readonly string[];
  readonly #known = new Map<string, string>();
  /** When the run began, by the emulator's clock (unix ms). */
  readonly startedAt: number;

  constructor(emulator: Emulator) {
    this.#emulator = emulator;
    this.startedAt = emulator.clock.now();
    this.#given = emulator.workspaces
      .all()
      .flatMap((workspace) => kinds.flatMap((kind) => workspace[kind].all().map(({ id }) => id)));
  }

  /** A text without what the emulator has made up, and without times. */
  plain(text: string): string {
    return this.#nameOf(text) ?? text.replace(TIMES, "*");
  }

  /** The same for a member of a record, where an id without a name may be that of a part of a record. */
  plainMember(text: string): string {
    return this.#nameOf(text) ?? (ID.test(text) ? "*" : text);
  }

  /** Keeps the names of the records in an answer, which may be gone when a call names them. */
  learn(answer: unknown, operation: string): void {
    if (typeof answer === "string") this.#nameOf(answer, operation);
    else if (typeof answer === "object" && answer !== null) {
      for (const member of Object.values(answer)) this.learn(member, operation);
    }
  }

  /** Like `["main", "user_9"]`, for the id or the value of a record. */
  wordsOf(text: string): string[] | undefined {
    return this.#find(text)?.words;
  }

  mask(text: string): string {
    return this.#emulator.mask(text);
  }

  #nameOf(text: string, operation = ""): string | undefined {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const { id, kind, place, words } = this.#find(text) ?? {};
    if (id === undefined || words === undefined) return undefined;
    const number = this.#given.indexOf(id);
    const origin = number < 0 ? "new " : "";
    const own = words.join(" of ") || (number < 0 ? `by ${operation}` : `number ${number}`);
    const name = `${origin}${kind} ${own}${place === undefined ? "" : ` in ${this.plain(place)}`}`;
    this.#known.set(text, name);
    return name;
  }

  #find(text: string) {
    if (text.length < 8 || text.length > 512 || /\s/.test(text)) return undefined;
    for (const workspace of this.#emulator.workspaces.all()) {
      const key = workspace.keys.findByValue(text);
      for (const kind of kinds) {
        const record = (kind === "keys" ? key : undefined) ?? workspace[kind].get(text);
        if (record === undefined) continue;
        const { apiId: place, externalId, id, name } = record as Named;
        return { id, kind, place, words: [name, externalId].filter((word) => word !== undefined) };
      }
    }
    return undefined;
  }
}

const kinds = [
  "keys",
  "identities",
  "apis",
  "permissions",
  "roles",
  "ratelimitNamespaces",
] as const;
type Named = { id: string; apiId?: string; name?: string; externalId?: string };

/** Members of an input that name a record. */
const NAMING =
  /(?:^|\.)(?:name|slug|externalId|identity|namespace|identifier|roles?|permissions?)(?:\[\])?$/;
const MAX_WORD = 40;

/** A call as it arrives. */
export function toCall(operation: string, input: unknown, client: string, names: Names): Call {
  const members: string[] = [];
  const words: Word[] = [];
  for (const [path, value] of membersOf(input)) {
    const text = typeof value === "string" ? names.plain(value) : JSON.stringify(value);
    const plain = typeof value === "number" ? text.replace(TIMES, "*") : text;
    members.push(`${path} ${plain}`);
    // Most calls name the API, which says little.
    const isId = typeof value === "string" && path !== "apiId";
    const found = isId ? names.wordsOf(value) : undefined;
    const isName = found !== undefined || (typeof value === "string" && NAMING.test(path));
    if (found === undefined && isSecretName(path)) continue;
    const own = isName ? [plain] : [`${path}=${plain}`];
    words.push(
      ...(found ?? own).map((word) => ({ text: shorten(names.mask(word), MAX_WORD), isName })),
    );
  }
  const isSetup = false;
  return { operation, input, members: members.toSorted(), words, client, isSetup, isDone: false };
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

/** What two runs ask for alike: a member that only one of them has, like a UUID, tells nothing of a call. */
export class Asking {
  readonly #members: ReadonlySet<string>;

  constructor(first: readonly Call[], second: readonly Call[]) {
    const memberOf = ({ members, operation }: Call) =>
      members.map((member) => `${operation} ${member}`);
    const other = new Set(second.flatMap(memberOf));
    this.#members = new Set(first.flatMap(memberOf).filter((member) => other.has(member)));
  }

  /** The same text for calls that ask for the same. */
  of({ members, operation }: Call): string {
    const isAlike = (member: string) => this.#members.has(`${operation} ${member}`);
    const alike = members.map((member) =>
      isAlike(member) ? member : member.replace(/ .*/s, " *"),
    );
    return JSON.stringify([operation, ...alike]);
  }

  /** Words of a call that are the same in each run. */
  wordsOf({ words }: Call, isName: boolean): string[] {
    const own = words.filter((word) => word.isName === isName && !word.text.includes("*"));
    return [...new Set(own.map(({ text }) => text))];
  }
}

/** A name for each of these calls, which ask for different things: like `createKey(main,user_9)`. */
export function namesOf(calls: readonly Call[], asking: Asking): string[] {
  const short = (call: Call, words: readonly string[]) => {
    const inside = words.map((word) => word.replaceAll(/[\s,()]+/g, "_")).join(",");
    return call.operation.replace(/^.*\./, "") + (inside === "" ? "" : `(${inside})`);
  };
  const first = calls.map((call) => short(call, asking.wordsOf(call, true)));
  const more = calls.map((call, index) => {
    const rivals = calls.filter((_, other) => first[other] === first[index]);
    if (rivals.length === 1) return first[index] as string;
    const shared = (word: string) =>
      rivals.every((rival) => asking.wordsOf(rival, false).includes(word));
    const own = asking.wordsOf(call, false).filter((word) => !shared(word));
    return short(call, [...asking.wordsOf(call, true), ...own.slice(0, 3)]);
  });
  return more.map((name, index) => {
    if (more.indexOf(name) === more.lastIndexOf(name)) return name;
    const hash = createHash("sha256").update(asking.of(calls[index] as Call));
    return `${name}~${hash.digest("hex").slice(0, 4)}`;
  });
}
