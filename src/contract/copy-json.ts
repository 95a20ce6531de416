/** A copy of something that JSON can hold. */
export function copyJson<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
