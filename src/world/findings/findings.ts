import {
  Cursors,
  type RuleName,
  ruleNames,
  rules,
  type RuleWorld,
  type SeenCall,
} from "./rules.ts";
import { lazily } from "../../base/lazily.ts";
import * as f from "../../schema/fields.ts";

export const finding = lazily(() =>
  f.component("Finding", "A mistake of a client that is certain.", {
    rule: f.described(f.choice(ruleNames), "The name of the rule that found it."),
    requests: f.described(
      f.listOf(f.text(), "ids of requests"),
      "The ids of the requests that show it, the oldest first; at most 100.",
    ),
    why: f.described(f.text(), "The mistake. Tokens and key values are masked."),
    advice: f.described(f.text(), "The change to make in the client."),
  }),
);

/** A mistake of a client that is certain from what it sent, even if every reply was a 200. */
export type Finding = f.ShownBy<typeof finding>;

const MAX_SHOWN = 3;

/** A finding in one line, for the log. */
export function findingLine({ advice, requests, rule, why }: Finding): string {
  const others = requests.length - MAX_SHOWN;
  const shown =
    requests.slice(0, MAX_SHOWN).join(", ") + (others > 0 ? `, and ${others} more` : "");
  const noun = requests.length === 1 ? "request" : "requests";
  return `${rule}: ${why} (${noun} ${shown}). ${advice}`;
}

/** A world keeps the first 1,000 findings, each with its first 100 requests. */
const [MAX_FINDINGS, MAX_REQUESTS] = [1_000, 100];

/** What the findings need from their world. */
export interface FindingsWorld extends Pick<RuleWorld, "isSecret"> {
  /** The text as people may read it, without secrets. */
  show(text: string, token: string): string;
}

/** A finding that grows while the mistake goes on. */
interface Growing extends Finding {
  requests: readonly string[];
}

type NamedRule = readonly [RuleName, (typeof rules)[RuleName]];

/** The mistakes of the clients of a world. Each rule looks at each call by itself. */
export class Findings {
  readonly #world: FindingsWorld;
  readonly #rules: readonly NamedRule[];
  readonly #byOperation = new Map<string, readonly NamedRule[]>();
  /** By rule and subject. */
  #found = new Map<string, Growing>();
  #ruleWorld: RuleWorld;
  #revision = 0;

  /** @param ignored names of rules that are turned off */
  constructor(world: FindingsWorld, ignored: ReadonlySet<RuleName>) {
    this.#world = world;
    this.#ruleWorld = { isSecret: world.isSecret, cursors: new Cursors() };
    const all = Object.entries(rules) as unknown as NamedRule[];
    this.#rules = all.filter(([name]) => !ignored.has(name));
  }

  /** The mistakes that clients made, the oldest first: the first 1,000. `reset` forgets them. */
  list(): Finding[] {
    return Array.from(this.#found.values(), (finding) => ({
      ...finding,
      requests: [...finding.requests],
    }));
  }

  /** Clears the list: `latchkey exec --fail-on findings` does not count these findings any more. */
  clear(): void {
    for (const finding of this.#found.values()) finding.requests = [];
    this.#forget();
  }

  /** Forgets findings and cursors, as a reset does. */
  restart(): void {
    this.#forget();
    this.#ruleWorld = { ...this.#ruleWorld, cursors: new Cursors() };
  }

  #forget(): void {
    this.#found = new Map();
    this.#revision += 1;
  }

  /** Increases when a finding is added, grows or is forgotten. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * Shows a finished call to the rules about its operation. Returns the findings that are new.
   * @param toCall makes the call, if there is such a rule
   */
  look(operation: string, toCall: () => SeenCall): readonly Finding[] {
    let ofOperation = this.#byOperation.get(operation);
    if (ofOperation === undefined) {
      ofOperation = this.#rules.filter(([, { operations }]) => operations.test(operation));
      this.#byOperation.set(operation, ofOperation);
    }
    if (ofOperation.length === 0) return [];
    const call = toCall();
    const found: Finding[] = [];
    for (const [rule, { find }] of ofOperation) {
      const mistake = find(call, this.#ruleWorld);
      if (mistake === undefined) continue;
      const { advice, requests, subject } = mistake;
      const key = `${rule}\n${subject}`;
      const known = this.#found.get(key);
      this.#revision += 1;
      if (known !== undefined) {
        const all = new Set([...known.requests, ...requests]);
        known.requests = [...all].slice(0, MAX_REQUESTS);
      } else if (this.#found.size < MAX_FINDINGS) {
        const why = this.#world.show(mistake.why, call.token);
        const finding = { rule, requests, why, advice };
        this.#found.set(key, finding);
        found.push(finding);
      }
    }
    return found;
  }
}
