import { toLogText } from "../../base/wording/mask.ts";
import type { ReadInput } from "../interface-version.ts";
import type { RequestContext } from "../request-context.ts";
import type { Log } from "./log.ts";

/** Limits the memory, because clients may send any number of unknown fields. */
const MAX_WARNINGS = 1_000;

/** Warns of members that the service does not know and ignores, once of each member of an operation. */
export class CallWarnings {
  readonly #log: Log;
  /** The members that were told, each like `keys.createKey: refill.foo`. */
  readonly #told = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  tell({ unknown }: ReadInput, { isUnseen, mask, operation }: RequestContext): void {
    if (operation === undefined || isUnseen) return;
    const { method, name } = operation.contract;
    const where = method === "GET" ? "parameter" : "field";
    for (const member of unknown) {
      const field = `${name}: ${member}`;
      if (this.#told.has(field) || this.#told.size >= MAX_WARNINGS) continue;
      this.#told.add(field);
      const message = `${toLogText(field, mask)}: the service does not know this ${where}; latchkey ignores it as well`;
      this.#log({ kind: "warning", message });
    }
  }
}
