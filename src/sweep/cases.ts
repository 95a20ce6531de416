import { answersOf, type RefusedAnswer } from "../api/outcomes.ts";
import type { FaultInit } from "../faults/fault.ts";
import type { Call } from "./calls.ts";

/** The ways to spoil a call, in the order in which they are shown: name, words to show, fault. */
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
  /** The name, like `createKey(main,user_9).lost-after`; equal calls have a number in it. */
  readonly case: string;
  /** The name without the number. Equal calls share a row of the table. */
  readonly row: string;
  /** The call to show, like `keys.createKey (main, user_9; 3 equal calls)`. */
  readonly call: string;
  readonly operation: string;
  readonly how: Spoil | RefusedAnswer;
  /** The fingerprint of the call. */
  readonly fingerprint: string;
  /** How many calls have this fingerprint, and which of them is spoilt, from 1. */
  readonly equal: number;
  readonly number: number;
}

/** The ways in which a call can be spoilt, and the refusals that its yes can be changed to. */
export function waysOf(
  { tookEffect, isYes = false, operation }: Call,
  faults: readonly Spoil[],
  changesAnswers: boolean,
): Case["how"][] {
  const isPossible = (how: Spoil) =>
    faults.includes(how) && (tookEffect || faultOf({ operation, how }).when !== "after");
  const answers = changesAnswers && isYes ? (answersOf.get(operation) ?? []) : [];
  return [...spoilNames.filter(isPossible), ...answers];
}

/** Orders cases so that the first ones cover different operations, calls and faults. */
export function interleaved(byCall: readonly (readonly Case[])[]): Case[] {
  const turns = byCall.flatMap((cases) => {
    const calls = byCall.filter(([first]) => first?.operation === cases[0]?.operation);
    const place = calls.indexOf(cases);
    return cases.map((_, round) => {
      // Each call begins with a different fault.
      const tried = cases[(place + round) % cases.length] as Case;
      return { tried, turn: round * calls.length + place };
    });
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ tried }) => tried);
}

/** Whether an operation answers yes or no: a verification or a rate limit. */
export function isQuestion(operation: string): boolean {
  return answersOf.has(operation);
}

/** Whether a case changes a yes to a refusal. */
export function isChangedAnswer(how: Case["how"]): how is RefusedAnswer {
  return !spoilNames.some((name) => name === how);
}

/** The fault of a case. It would match every call of the operation. */
export function faultOf({ how, operation }: Pick<Case, "how" | "operation">): FaultInit {
  const fault = isChangedAnswer(how) ? { answer: how } : spoils.find(([name]) => name === how)?.[2];
  return { operation, ...fault };
}

/** Words to show, like `call lost` or `answered EXPIRED`. */
export function describeSpoil(how: Case["how"]): string {
  return spoils.find(([name]) => name === how)?.[1] ?? `answered ${how}`;
}
