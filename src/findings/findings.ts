import type { Remembered, SeenCall } from "./seen-call.ts";
import type { Finding } from "./finding.ts";
import type { Rule, RuleWorld, Sighting, Watcher } from "./rule.ts";
import { rules, type RuleName } from "./rules.ts";

/** A world keeps the first 100 findings, each with its first 100 requests. */
const [MAX_FINDINGS, MAX_REQUESTS] = [100, 100];
/** The rules remember the calls of this many tokens, those whose first call came last. */
const MAX_TOKENS = 100;

/** What the findings ask of their world. */
export interface FindingsWorld extends Pick<RuleWorld, "isSecret" | "now" | "revision"> {
  /** The text for people to read, without secrets. */
  show(text: string, token: string): string;
}

/** A finding that grows while the mistake goes on. */
interface Growing extends Finding {
  requests: readonly string[];
  why: string;
}

export interface NewFinding {
  readonly finding: Finding;
  /** Whether a warning in the log says the same already. */
  readonly isWarned: boolean;
}

/**
 * The mistakes of the clients of a world. Each rule looks at each call, by token; what it remembers of a
 * token is bounded (about 50 kB at most, and usually a few bytes).
 */
export class Findings {
  readonly #world: FindingsWorld;
  readonly #rules: readonly Rule<RuleName>[];
  /** By rule and subject. */
  #found = new Map<string, Growing>();
  /** The watcher of each rule, by token. */
  #watchers = new Map<string, readonly Watcher[]>();
  /** How many calls have ended. */
  #ended = 0;
  #revision = 0;
  readonly #ruleWorld: RuleWorld;

  /** @param ignored names of rules that are turned off */
  constructor(world: FindingsWorld, ignored: ReadonlySet<RuleName>) {
    this.#world = world;
    this.#rules = rules.filter(({ name }) => !ignored.has(name));
    this.#ruleWorld = {
      ...world,
      remember: (call): Remembered => ({ call, ended: this.#ended, at: world.now() }),
    };
  }

  /** The mistakes that clients made, the oldest first: the first 100. `reset` forgets them. */
  list(): Finding[] {
    return Array.from(this.#found.values(), (finding) => ({
      ...finding,
      requests: [...finding.requests],
    }));
  }

  /** Forgives them: `latchkey exec --fail-on findings` does not count them any more. */
  clear(): void {
    for (const finding of this.#found.values()) finding.requests = [];
    this.restart();
  }

  /** Forgets findings and calls, as a reset does. */
  restart(): void {
    this.#found = new Map();
    this.#revision += 1;
    this.forgetCalls();
  }

  /** Forgets the calls, because other records or faults answer differently. */
  forgetCalls(): void {
    this.#watchers = new Map();
  }

  /** Increases when a finding is added, grows or is forgotten. */
  get revision(): number {
    return this.#revision;
  }

  /** How many calls have ended; see `SeenCall.endedBefore`. */
  get ended(): number {
    return this.#ended;
  }

  /** Shows a finished call to all rules. Returns the findings that are new. */
  look(call: SeenCall): readonly NewFinding[] {
    this.#ended += 1;
    const watchers = this.#watchersOf(call.token);
    let found = NONE;
    for (let index = 0; index < watchers.length; index += 1) {
      const rule = this.#rules[index] as Rule<RuleName>;
      const { isWarned = false, operations } = rule;
      if (operations?.has(call.operation ?? "") === false) continue;
      const seen = watchers[index]?.(call);
      if (seen === undefined) continue;
      for (const sighting of [seen].flat()) {
        const finding = this.#add(rule, sighting, call.token);
        if (finding !== undefined) found = [...found, { finding, isWarned }];
      }
    }
    return found;
  }

  /** Returns the finding if it is new. */
  #add({ advice, name }: Rule<RuleName>, sighting: Sighting, token: string): Finding | undefined {
    const key = `${name}\n${sighting.subject}`;
    const why = this.#world.show(sighting.why, token);
    const known = this.#found.get(key);
    this.#revision += 1;
    if (known !== undefined) {
      known.why = why;
      const requests = [...new Set([...known.requests, ...sighting.requests])];
      known.requests = requests.slice(0, MAX_REQUESTS);
      return undefined;
    }
    if (this.#found.size === MAX_FINDINGS) return undefined;
    const finding: Growing = { rule: name, requests: [...sighting.requests], why, advice };
    this.#found.set(key, finding);
    return finding;
  }

  #watchersOf(token: string): readonly Watcher[] {
    const known = this.#watchers.get(token);
    if (known !== undefined) return known;
    const watchers = this.#rules.map((rule) => rule.watch(this.#ruleWorld));
    this.#watchers.set(token, watchers);
    const [oldest] = this.#watchers.keys();
    if (this.#watchers.size > MAX_TOKENS && oldest !== undefined) this.#watchers.delete(oldest);
    return watchers;
  }
}

const NONE: readonly NewFinding[] = [];

/** A finding in one line, for the log. */
export function findingLine({ advice, requests, rule, why }: Finding): string {
  const others = requests.length - MAX_SHOWN;
  const shown =
    requests.slice(0, MAX_SHOWN).join(", ") + (others > 0 ? `, and ${others} more` : "");
  const noun = requests.length === 1 ? "request" : "requests";
  return `${rule}: ${why} (${noun} ${shown}). ${advice}`;
}

const MAX_SHOWN = 3;
