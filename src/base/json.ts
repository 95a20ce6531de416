/** Whether this is an object, but not null and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A deep copy of a JSON value, like `JSON.parse(JSON.stringify(value))`: -0 becomes 0, and undefined
 * members are left out.
 */
export function copyJson<Value>(value: Value): Value {
  return copy(value) as Value;
}

function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value === 0 ? 0 : value;
  if (Array.isArray(value)) return value.map(copy);
  const members = Object.entries(value).map(([name, member]) => [name, copy(member)] as const);
  // An assignment to `__proto__` would set the prototype; `fromEntries` defines an own property.
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/**
 * Whether `value` matches `part`. An object must have all members of `part` and may have more. A list
 * must have the same length and matching items. Any other value must be equal.
 */
export function contains(value: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return Object.is(value, part) || value === part;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(part)) {
    return (
      Array.isArray(value) &&
      value.length === part.length &&
      part.every((item, index) => contains(value[index], item))
    );
  }
  return Object.entries(part).every(
    ([name, member]) =>
      Object.hasOwn(value, name) && contains((value as Record<string, unknown>)[name], member),
  );
}

/** Whether an input contains these members; if the input is a list, whether one of its items does. */
export function inputContains(input: unknown, part: unknown): boolean {
  if (!Array.isArray(input)) return contains(input, part);
  return input.some((item) => contains(item, part));
}

/** A place at which a value differs from what was expected there. */
export interface Difference {
  readonly path: readonly PropertyKey[];
  /** Undefined if the value has no such member. */
  readonly found: unknown;
}

/** Every place at which `value` does not match `part`; none if `contains` returns true. */
export function differences(
  value: unknown,
  part: unknown,
  path: readonly PropertyKey[] = [],
): readonly Difference[] {
  if (contains(value, part)) return [];
  const isObject = typeof value === "object" && value !== null && typeof part === "object";
  if (!isObject || part === null || Array.isArray(value) !== Array.isArray(part)) {
    return [{ path, found: value }];
  }
  if (Array.isArray(part) && part.length !== (value as unknown[]).length) {
    return [{ path, found: value }];
  }
  return Object.entries(part).flatMap(([name, member]) => {
    const has = Object.hasOwn(value, name);
    const found = has ? (value as Record<string, unknown>)[name] : undefined;
    return differences(found, member, [...path, name]);
  });
}

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

/** Undefined for an empty object or list. */
export function unlessEmpty<Value extends object>(value: Value | undefined): Value | undefined {
  return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}
