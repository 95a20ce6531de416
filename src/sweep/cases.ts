import { answersOf, type RefusedAnswer } from "../api/outcomes.ts";
import type { FaultInit } from "../faults/fault.ts";
import type { Call } from "./calls.ts";

/** The ways to spoil a call, in the order in which they are shown, with words for a person. */
const spoils = [
  ["500", "answered 500", { status: 500 }],
  ["429", "answered 429", { status: 429, headers: { "Retry-After": "1" } }],
  ["lost-before", "call lost", { effect: "drop" }],
  ["lost-after", "reply lost after the call took effect", { effect: "drop", when: "after" }],
  ["hang", "no answer", { effect: "hang" }],
  ["truncated", "reply cut off after the call took effect", { effect: "truncate", when: "after" }],
] as const satisfies (readonly [name: string, words: string, fault: FaultInit])[];

export type Spoil = (typeof spoils)[number][0];
export const spoilNames = spoils.map(([name]) => name) as [Spoil, ...Spoil[]];

/** Calls that ask for the same, in a run without a fault. */
export interface Asked {
  /** Like `createKey(main,user_9)`. */
  readonly name: string;
  /** What they ask for; see `Asking`. */
  readonly asks: string;
  /** How many there are, in each run. */
  readonly count: number;
  /** Those that are tried, by their numbers among all of them; from 1. */
  readonly numbered: readonly (readonly [number: number, call: Call])[];
}

/** One call with one fault. */
export interface Case {
  /** Like `createKey(main,user_9).lost-after`, with a number where calls are equal. */
  readonly name: string;
  /** The name without the number. */
  readonly row: string;
  readonly asked: Asked;
  readonly number: number;
  readonly operation: string;
  readonly how: Spoil | RefusedAnswer;
}

/** The cases of each of these calls. */
export function casesOf(
  asked: Asked,
  faults: readonly Spoil[],
  changesAnswers: boolean,
): readonly (readonly Case[])[] {
  return asked.numbered.map(([number, { isDone, isYes = false, operation }]) => {
    const isPossible = (how: Spoil) =>
      faults.includes(how) && (isDone || faultOf({ operation, how }).when !== "after");
    const answers = changesAnswers && isYes ? (answersOf.get(operation) ?? []) : [];
    const name = asked.count === 1 ? asked.name : `${asked.name}.${number}`;
    return [...spoilNames.filter(isPossible), ...answers].map((how) => {
      const row = `${asked.name}.${how}`;
      return { name: `${name}.${how}`, row, asked, number, operation, how };
    });
  });
}

/**
 * Takes cases of all operations, calls and faults in turn, so that those that run first are of all sorts.
 * @param byCall the cases of each call
 */
export function inTurn(byCall: readonly (readonly Case[])[]): Case[] {
  const operations = new Set(byCall.flatMap(([first]) => first?.operation ?? []));
  const ofOperations = [...operations].map((operation) => {
    const calls = byCall.filter(([first]) => first?.operation === operation);
    // Each call begins with another fault.
    return interleaved(
      calls.map((cases, index) => {
        const start = index % Math.max(1, cases.length);
        return [...cases.slice(start), ...cases.slice(0, start)];
      }),
    );
  });
  return interleaved(ofOperations);
}

function interleaved<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, turn) => turn);
  return turns.flatMap((turn) => lists.flatMap((list) => list.slice(turn, turn + 1)));
}

/** Whether a call asks whether something is allowed. */
export function isQuestion({ operation }: Pick<Call, "operation">): boolean {
  return answersOf.has(operation);
}

export function isAnswer(how: Case["how"]): how is RefusedAnswer {
  return !spoilNames.some((name) => name === how);
}

/** The fault of a case, for every call of its operation. */
export function faultOf({ how, operation }: Pick<Case, "how" | "operation">): FaultInit {
  const fault = isAnswer(how) ? { answer: how } : spoils.find(([name]) => name === how)?.[2];
  return { operation, ...fault };
}

/** Like `reply lost`, or `answered EXPIRED`. */
export function wordsOf(how: Case["how"]): string {
  return spoils.find(([name]) => name === how)?.[1] ?? `answered ${how}`;
}
