import { lazily } from "../base/lazily.ts";
import { choice, described, docs, listOf, objectOf, text, type ShownBy } from "../schema/fields.ts";
import { ruleNames } from "./rules.ts";

export const finding = lazily(() =>
  objectOf({
    rule: described(choice(ruleNames), "The name of the rule that found it."),
    requests: described(
      listOf(text(), "ids of requests"),
      "The ids of the requests that show it, the oldest first; at most 100.",
    ),
    why: described(text(), "What the client did. Tokens and key values are masked."),
    advice: described(text(), "What to change in the client."),
  }).register(docs, { id: "Finding", description: "A mistake of a client that is certain." }),
);

/** A mistake of a client that is certain from what it sent, even if every reply was a 200. */
export type Finding = ShownBy<typeof finding>;

const MAX_SHOWN = 3;

/** A finding in one line, for the log. */
export function findingLine({ advice, requests, rule, why }: Finding): string {
  const others = requests.length - MAX_SHOWN;
  const shown =
    requests.slice(0, MAX_SHOWN).join(", ") + (others > 0 ? `, and ${others} more` : "");
  const noun = requests.length === 1 ? "request" : "requests";
  return `${rule}: ${why} (${noun} ${shown}). ${advice}`;
}
