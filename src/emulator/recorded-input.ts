import { maskKeyValues } from "../store/key-value.ts";
import type { PlainRequest } from "./exchange.ts";
import { maskSecrets, maskToken } from "./mask-secrets.ts";

/** A longer body is not kept: a journal of the longest would take a gigabyte. */
const MAX_KEPT_BYTES = 100_000;
/** Members of an input that hold a secret, whatever it looks like. */
const SECRETS = new Set(["key", "plaintext", "token"]);
const MASK = "***";

/**
 * What a client sent, for a test to look at, without tokens and key values. It is read only when
 * somebody looks.
 */
export function toRecordedInput(
  { body, method, query }: PlainRequest,
  token: string | undefined,
): () => unknown {
  if (method === "GET" || method === "HEAD") {
    return () => mask(Object.fromEntries(new URLSearchParams(query)), token);
  }
  if (body === "too large") return () => "(a body that is too large)";
  const { length } = body;
  if (length > MAX_KEPT_BYTES) return () => `(a body of ${length} bytes, which is not kept)`;
  return () => readBody(body, token);
}

function readBody(body: Uint8Array, token: string | undefined): unknown {
  const text = new TextDecoder().decode(body);
  try {
    return mask(JSON.parse(text), token);
  } catch {
    // No JSON, or nested deeper than the stack goes.
    return text === "" ? undefined : maskSecrets(maskToken(text, token));
  }
}

function mask(input: unknown, token: string | undefined): unknown {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  if (!isObject) return maskWithin(input, token);
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      maskText(name, token),
      SECRETS.has(name) && typeof value === "string" ? MASK : maskWithin(value, token),
    ]),
  );
}

function maskWithin(value: unknown, token: string | undefined): unknown {
  if (typeof value === "string") return maskText(value, token);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => maskWithin(item, token));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      maskText(name, token),
      maskWithin(member, token),
    ]),
  );
}

function maskText(text: string, token: string | undefined): string {
  return maskKeyValues(maskToken(text, token));
}
