/** A copy of something that JSON can hold, as JSON would hold it. */
export function copyJson<Value>(value: Value): Value {
  return copy(value) as Value;
}

function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value === 0 ? 0 : value;
  if (Array.isArray(value)) return value.map(copy);
  const members = Object.entries(value).map(([name, member]) => [name, copy(member)] as const);
  // An assignment to `__proto__` would set the prototype; this makes a member of that name.
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}
