import type { Instant, Remembered, SeenCall } from "./seen-call.ts";

/** What a rule found. */
export interface Sighting {
  /** What the finding is about. Further sightings of the same subject join the same finding. */
  readonly subject: string;
  readonly why: string;
  readonly requests: readonly string[];
}

/** What a rule may ask about the world. */
export interface RuleWorld {
  /** The moment of the question. */
  now(): Instant;
  /** A call to remember, which has ended now. */
  remember(call: SeenCall): Remembered;
  /** A number that grows whenever a record changes. */
  revision(): number;
  /** Whether the text is a listed token, the control token, or the value of a key. */
  isSecret(text: string): boolean;
}

/**
 * Sees the calls of one token, one after the other, and returns the mistakes in them. What it remembers
 * is in its closure, and has a bound.
 */
export type Watcher = (call: SeenCall) => Sighting | readonly Sighting[] | undefined;

/**
 * Recognises one mistake of clients. It reports only what is certain: a correct program, however unusual,
 * makes no finding.
 */
export interface Rule<Name extends string = string> {
  readonly name: Name;
  /** What to change in the client. */
  readonly advice: string;
  /** Whether the log warns of the same in other words already. Default: false. */
  readonly isWarned?: boolean;
  /** The operations whose calls it looks at, in either version. Default: all calls. */
  readonly operations?: ReadonlySet<string>;
  /** Begins to watch the calls of one token. */
  watch(world: RuleWorld): Watcher;
}

/** Defines a rule, with the type of its name. */
export function defineRule<const Name extends string>(rule: Rule<Name>): Rule<Name> {
  return rule;
}

/** Adds to a list that keeps the newest `max` items. */
export function keep<Item>(items: Item[], item: Item, max: number): void {
  items.push(item);
  if (items.length > max) items.shift();
}
