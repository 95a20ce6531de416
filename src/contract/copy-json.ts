/** A copy of something that JSON can hold, as JSON would hold it. */
export function copyJson<Value>(value: Value): Value {
  return copy(value) as Value;
}

function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value === 0 ? 0 : value;
  if (Array.isArray(value)) return value.map(copy);
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = copy((value as Record<string, unknown>)[name]);
    if (member === undefined) continue;
    // An assignment to this one would set the prototype.
    if (name === "__proto__") {
      const kept = { value: member, enumerable: true, writable: true, configurable: true };
      Object.defineProperty(members, name, kept);
    } else members[name] = member;
  }
  return members;
}
