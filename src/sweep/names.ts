import type { Emulator } from "../emulator/emulator.ts";
import { kindNames } from "../state/records/kind-names.ts";

/** The kinds of records that runs are compared by. */
export const comparedKinds = kindNames
  .filter((kind) => kind !== "tokens" && kind !== "migrations")
  .toReversed();

/** Times differ between runs, unless both runs are within the same second. */
const TIMES = /(?<!\d)1\d{9}(?:\d{3})?(?!\d)|\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*/g;

interface Named {
  /** Like `new keys main of user_9`. */
  readonly label: string;
  /** Like `["main", "user_9"]`. */
  readonly words: readonly string[];
}

/** Replaces ids and key values, which differ from run to run, by descriptions of their records. */
export class Names {
  readonly #emulator: Emulator;
  /** The ids of the records at the start. */
  readonly #initial: readonly string[];
  readonly #known = new Map<string, Named>();
  /** When the run began (unix ms): by the emulator's clock, which may be frozen, and by the machine's. */
  readonly startedAt: number;
  readonly reallyStartedAt = Date.now();

  constructor(emulator: Emulator) {
    this.#emulator = emulator;
    this.startedAt = emulator.clock.now();
    this.#initial = emulator.workspaces
      .all()
      .flatMap((each) => comparedKinds.flatMap((kind) => each[kind].all().map(({ id }) => id)));
  }

  /** Replaces generated ids and key values, and times, so that the text is the same in every run. */
  normalized(text: string): string {
    return this.find(text)?.label ?? text.replace(TIMES, "*");
  }

  /** Remembers the records in an answer: they may be deleted before a later call names them. */
  remember(answer: unknown): void {
    if (typeof answer === "string") this.find(answer);
    else for (const member of Object.values(Object(answer))) this.remember(member);
  }

  mask(text: string): string {
    return this.#emulator.mask(text);
  }

  /** Finds a record by its id or the value of a key. */
  find(text: string): Named | undefined {
    const known = this.#known.get(text);
    if (known !== undefined || text.length < 8 || /\s/.test(text)) return known;
    for (const workspace of this.#emulator.workspaces.all()) {
      for (const kind of comparedKinds) {
        const byValue = kind === "keys" ? workspace.keys.findByValue(text) : undefined;
        const record: object | undefined = byValue ?? workspace[kind].get(text);
        if (record === undefined) continue;
        const { apiId, externalId, id, name } = record as Readonly<Record<string, string>>;
        const words = [name, externalId].filter((word) => word !== undefined);
        const number = this.#initial.indexOf(id ?? "");
        const own = words.join(" of ") || (number < 0 ? "" : `number ${number}`);
        const place = apiId === undefined ? "" : ` in ${this.normalized(apiId)}`;
        const named = { label: `${number < 0 ? "new " : ""}${kind} ${own}${place}`, words };
        this.#known.set(text, named);
        return named;
      }
    }
    return undefined;
  }
}
