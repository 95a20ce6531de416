const NO_NAMES: readonly string[] = Object.freeze([]);

export function frozenNames(names: readonly string[] = NO_NAMES): readonly string[] {
  if (names.length === 0) return NO_NAMES;
  // A frozen list comes from an earlier version of the record, and is checked already.
  if (Object.isFrozen(names)) return names;
  return Object.freeze(names.length === 1 ? [...names] : [...new Set(names)]);
}

/** Callers get records. If they could change one, the indexes would be wrong. */
export function deepFreeze<Value extends object>(value: Value): Value {
  for (const member of Object.values(value)) {
    if (typeof member === "object" && member !== null) deepFreeze(member);
  }
  return Object.freeze(value);
}
