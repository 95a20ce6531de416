/**
 * Serializes a value; undefined if JSON has no such value. An integer of 64 bits stays readable:
 * JavaScript rounds 2^63 - 1 up and would write 9223372036854776000, which clients in Go cannot read. In
 * `meta`, numbers stay as they are, because they are doubles for the service too.
 */
export function toJson(value: unknown): string | undefined {
  const text = JSON.stringify(value);
  return text?.includes(BEYOND) ? write(JSON.parse(text)) : text;
}

const BEYOND = String(2 ** 63);
const GREATEST = "9223372036854775807";
const LEAST = "-9223372036854775808";

function write(value: unknown): string {
  if (value === 2 ** 63) return GREATEST;
  if (value === -(2 ** 63)) return LEAST;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  const members = Object.entries(value).map(([name, member]) => {
    const text = name === "meta" ? JSON.stringify(member) : write(member);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.join(",")}}`;
}
