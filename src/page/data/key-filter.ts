/** The states by which keys are filtered, with the words for them. */
export const keyStates = {
  valid: "valid",
  expired: "expired",
  disabled: "disabled",
  usedUp: "used up",
} as const;
export type KeyState = keyof typeof keyStates;

/** The members by which keys are sorted. */
const sorted = ["name", "ownerId", "expires", "remaining", "createdAt", "lastUsedAt"] as const;
export type SortedMember = (typeof sorted)[number];
/** A member, with `-` before it for a descending order. */
export type KeySort = SortedMember | `-${SortedMember}`;

/** The newest keys first. */
export const defaultSort: KeySort = "-createdAt";

export function stateOf(text: string | undefined): KeyState | undefined {
  return (Object.keys(keyStates) as KeyState[]).find((name) => name === text);
}

export function sortOf(text: string | undefined): KeySort {
  const all: readonly KeySort[] = sorted.flatMap((name) => [name, `-${name}`] as const);
  return all.find((name) => name === text) ?? defaultSort;
}

/** The order after a click on a member: the newest first for times in the past, and then turned round. */
export function nextSort(sort: KeySort, member: SortedMember): KeySort {
  const first: KeySort = member === "createdAt" || member === "lastUsedAt" ? `-${member}` : member;
  if (sort !== first) return first;
  return first === member ? `-${member}` : member;
}
