import type { RuleName } from "./rules.ts";

/** A mistake of a client that is certain from what it sent, even if every reply was a 200. */
export interface Finding {
  /** The name of the rule that found it. */
  readonly rule: RuleName;
  /** The ids of the requests that show it, the oldest first; at most 100. */
  readonly requests: readonly string[];
  /** What the client did. Tokens and key values are masked. */
  readonly why: string;
  /** What to change in the client. */
  readonly advice: string;
}

const MAX_SHOWN = 3;

/** A finding in one line, for the log. */
export function findingLine({ advice, requests, rule, why }: Finding): string {
  const others = requests.length - MAX_SHOWN;
  const shown =
    requests.slice(0, MAX_SHOWN).join(", ") + (others > 0 ? `, and ${others} more` : "");
  const noun = requests.length === 1 ? "request" : "requests";
  return `${rule}: ${why} (${noun} ${shown}). ${advice}`;
}
