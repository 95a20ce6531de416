import { answersOf, type RefusedAnswer } from "../api/outcomes.ts";
import type { FaultInit } from "../state/faults/fault.ts";

/** The ways to spoil a call, in the order in which they are tried, with words for a person. */
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

/** A call that reached its operation, known by the operation and its number among the calls of it. */
export interface Call {
  readonly operation: string;
  /** From 1. */
  readonly number: number;
  /** As the operation parsed it; the same object before and after the call took effect. */
  readonly input: unknown;
  /** Whether it took effect. */
  isDone: boolean;
  /** Of a question, whether it was answered yes. */
  isYes?: boolean;
}

/** One call with one fault. */
export interface Case {
  /** Like `createKey.1.lost-after`. */
  readonly name: string;
  readonly call: Call;
  readonly how: Spoil | RefusedAnswer;
}

/** Every case of a call. */
export function casesOf(call: Call, faults: readonly Spoil[], changesAnswers: boolean): Case[] {
  const { isDone, isYes = false, number, operation } = call;
  const isPossible = (how: Spoil) =>
    faults.includes(how) && (isDone || faultOf({ call, how }).when !== "after");
  const answers = changesAnswers && isYes ? (answersOf.get(operation) ?? []) : [];
  const hows = [...spoilNames.filter(isPossible), ...answers];
  const name = `${operation.replace(/^.*\./, "")}.${number}`;
  return hows.map((how) => ({ name: `${name}.${how}`, call, how }));
}

/** Whether a call asks whether something is allowed. */
export function isQuestion({ operation }: Call): boolean {
  return answersOf.has(operation);
}

export function isAnswer(how: Case["how"]): how is RefusedAnswer {
  return !spoilNames.some((name) => name === how);
}

/** The fault of a case, for every call of its operation. */
export function faultOf({ call: { operation }, how }: Omit<Case, "name">): FaultInit {
  const fault = isAnswer(how) ? { answer: how } : spoils.find(([name]) => name === how)?.[2];
  return { operation, ...fault };
}

/** Like `reply lost`, or `answered EXPIRED`. */
export function wordsOf(how: Case["how"]): string {
  return spoils.find(([name]) => name === how)?.[1] ?? `answered ${how}`;
}
