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
