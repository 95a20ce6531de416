const NO_NAMES: readonly string[] = Object.freeze([]);

/** A frozen list without duplicates. */
export function frozenNames(names: readonly string[] = NO_NAMES): readonly string[] {
  if (names.length === 0) return NO_NAMES;
  // Those of an earlier version of the record.
  if (Object.isFrozen(names)) return names;
  return Object.freeze(names.length === 1 ? [...names] : [...new Set(names)]);
}

/** Records are returned to callers; a change by one of them would make the indexes wrong. */
export function deepFreeze<Value extends object>(value: Value): Value {
  for (const member of Object.values(value)) {
    if (typeof member === "object" && member !== null) deepFreeze(member);
  }
  return Object.freeze(value);
}
