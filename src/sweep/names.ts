import type { Emulator } from "../emulator/emulator.ts";
import { kindNames } from "../state/records/kind-names.ts";

/** The kinds of records that programs make, the most telling first. */
export const kindsMade = kindNames
  .filter((kind) => kind !== "tokens" && kind !== "migrations")
  .toReversed();

/** Times are other ones in each run, unless the program runs twice in one second. */
const TIMES = /(?<!\d)1\d{9}(?:\d{3})?(?!\d)|\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*/g;

interface Named {
  /** Like `new keys main of user_9`. */
  readonly label: string;
  /** Like `["main", "user_9"]`. */
  readonly words: readonly string[];
}

/** What records are called in place of their ids and key values, which differ from run to run. */
export class Names {
  readonly #emulator: Emulator;
  /** The ids at the start, in their order. */
  readonly #given: readonly string[];
  readonly #known = new Map<string, Named>();
  /** When the run began by the emulator's clock, which may stand, and by that of the machine (unix ms). */
  readonly startedAt: number;
  readonly reallyStartedAt = Date.now();

  constructor(emulator: Emulator) {
    this.#emulator = emulator;
    this.startedAt = emulator.clock.now();
    this.#given = emulator.workspaces
      .all()
      .flatMap((each) => kindsMade.flatMap((kind) => each[kind].all().map(({ id }) => id)));
  }

  /** A text without what the emulator has generated, and without times. */
  plain(text: string): string {
    return this.find(text)?.label ?? text.replace(TIMES, "*");
  }

  /** Keeps the names of the records in an answer, which may be gone when a call names them. */
  learn(answer: unknown): void {
    if (typeof answer === "string") this.find(answer);
    else for (const member of Object.values(Object(answer))) this.learn(member);
  }

  mask(text: string): string {
    return this.#emulator.mask(text);
  }

  /** Finds a record by its id or the value of a key. */
  find(text: string): Named | undefined {
    const known = this.#known.get(text);
    if (known !== undefined || text.length < 8 || /\s/.test(text)) return known;
    for (const workspace of this.#emulator.workspaces.all()) {
      for (const kind of kindsMade) {
        const byValue = kind === "keys" ? workspace.keys.findByValue(text) : undefined;
        const record: object | undefined = byValue ?? workspace[kind].get(text);
        if (record === undefined) continue;
        const { apiId, externalId, id, name } = record as Readonly<Record<string, string>>;
        const words = [name, externalId].filter((word) => word !== undefined);
        const number = this.#given.indexOf(id ?? "");
        const own = words.join(" of ") || (number < 0 ? "" : `number ${number}`);
        const place = apiId === undefined ? "" : ` in ${this.plain(apiId)}`;
        const named = { label: `${number < 0 ? "new " : ""}${kind} ${own}${place}`, words };
        this.#known.set(text, named);
        return named;
      }
    }
    return undefined;
  }
}
