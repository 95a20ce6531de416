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

/** One call with one fault. */
export interface Case {
  /** Like `createKey(main,user_9).lost-after`, with a number where calls are equal. */
  readonly case: string;
  /** The same without the number. */
  readonly row: string;
  /** The call for a person, like `keys.createKey (main, user_9; 3 equal calls)`. */
  readonly call: string;
  readonly operation: string;
  readonly how: Spoil | RefusedAnswer;
  /** What the call asks for, how many calls ask the same, and which of them this is, from 1. */
  readonly asks: string;
  readonly equal: number;
  readonly number: number;
}

/** The ways in which a call can be spoilt, and the answers that its yes can be changed to. */
export function waysOf(
  { isDone, isYes = false, operation }: Call,
  faults: readonly Spoil[],
  changesAnswers: boolean,
): Case["how"][] {
  const isPossible = (how: Spoil) =>
    faults.includes(how) && (isDone || faultOf({ operation, how }).when !== "after");
  const answers = changesAnswers && isYes ? (answersOf.get(operation) ?? []) : [];
  return [...spoilNames.filter(isPossible), ...answers];
}

/** Takes cases of all operations, calls and faults in turn, so that those that run first are of all sorts. */
export function inTurn(byCall: readonly (readonly Case[])[]): Case[] {
  const turns = byCall.flatMap((cases) => {
    const calls = byCall.filter(([first]) => first?.operation === cases[0]?.operation);
    const place = calls.indexOf(cases);
    return cases.map((tried, index) => {
      // Each call begins with another fault.
      const round = (index + calls.length * cases.length - place) % cases.length;
      return { tried, turn: round * calls.length + place };
    });
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ tried }) => tried);
}

/** Whether a call asks whether something is allowed. */
export function isQuestion(operation: string): boolean {
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
