import type { SunsetVersion } from "../../contract/version.ts";
import { toLogText } from "../../journal/mask.ts";
import type { CheckedCall } from "../interface-version.ts";
import type { RequestContext } from "../request-context.ts";
import { successorLine } from "../sunset.ts";
import type { Log } from "./log.ts";

/** Limits the memory, because clients may send any number of unknown fields. */
const MAX_WARNINGS = 1_000;

/** Warns of what clients should change, once for each mistake. */
export class CallWarnings {
  readonly #log: Log;
  readonly #sunset: SunsetVersion | undefined;
  /** The subjects of the warnings that were given. */
  readonly #given = new Set<string>();

  constructor({ log, sunset }: { readonly log: Log; readonly sunset: SunsetVersion | undefined }) {
    this.#log = log;
    this.#sunset = sunset;
  }

  /** Warns of members that the service does not know, and with `sunset` shows the same call in v2. */
  tell({ access, input }: CheckedCall, context: RequestContext): void {
    const { isUnseen, mask, operation, version } = context;
    if (operation === undefined || isUnseen) return;
    const { method, name } = operation.contract;
    for (const member of input.unknown) {
      const field = `${name}: ${member}`;
      const where = method === "GET" ? "parameter" : "field";
      this.#once(
        field,
        () =>
          `${toLogText(field, mask)}: the service does not know this ${where}; latchkey ignores it as well`,
      );
    }
    if (version.name !== this.#sunset) return;
    const { roles } = access.workspace;
    const line = successorLine(name, input.value, mask, (names) => roles.missing(names));
    this.#once(line, () => line);
  }

  #once(subject: string, message: () => string): void {
    if (this.#given.has(subject) || this.#given.size >= MAX_WARNINGS) return;
    this.#given.add(subject);
    this.#log({ kind: "warning", message: message() });
  }
}
