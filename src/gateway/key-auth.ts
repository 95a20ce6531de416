import type { EmulatorFetch } from "../emulator/emulator.ts";
import type { VerifyKeyData } from "../service/operations/v2/verify-key.ts";
import type { Keyauth } from "./policies.ts";
import { type Principal, toPrincipal } from "./principal.ts";
import type { CheckedLimit } from "./rate-limit.ts";
import { Refusal } from "./refusals.ts";
import { type GatewayRequest, textsAt } from "./request.ts";

/** How long the service's local gateway waits for a verification (ms). */
const VERIFY_TIMEOUT = 10_000;
const BEARER = { header: { name: "Authorization", stripPrefix: "Bearer " } };

/** The first key in a request; empty if there is none. Prefixes are case-insensitive. */
function keyIn(request: GatewayRequest, locations: NonNullable<Keyauth["locations"]>): string {
  for (const location of locations) {
    const source = location.bearer ? BEARER : location;
    const { stripPrefix = "" } = source.header ?? {};
    const [text = ""] = textsAt(source, request);
    const key = text.slice(stripPrefix.length);
    if (key !== "" && text.toLowerCase().startsWith(stripPrefix.toLowerCase())) return key;
  }
  return "";
}

/** The gateway's refusal for each code of `keys.verifyKey`. */
const refusals = {
  NOT_FOUND: "client:invalid_key",
  DISABLED: "client:invalid_key",
  EXPIRED: "client:invalid_key",
  FORBIDDEN: "client:invalid_key",
  INSUFFICIENT_PERMISSIONS: "client:insufficient_permissions",
  RATE_LIMITED: "client:rate_limited",
  USAGE_EXCEEDED: "client:usage_exceeded",
} as const satisfies Partial<Record<VerifyKeyData["code"], Refusal["code"]>>;

/**
 * Verifies the key of a request with one call of the emulator, as the service's local gateway does.
 * @param limits the limits that were checked are added, even if the key is refused
 * @throws Refusal unless the key is valid
 */
export async function authenticate(
  request: GatewayRequest,
  { credits = 1, keySpaceIds, locations = [], permissionQuery, ratelimits }: Keyauth,
  { fetch, token }: { readonly fetch: EmulatorFetch; readonly token: string },
  limits: CheckedLimit[],
): Promise<Principal> {
  const key = keyIn(request, locations.length > 0 ? locations : [{ bearer: {} }]);
  if (key === "") throw new Refusal("client:missing_credentials", "the request has no key");
  if (keySpaceIds?.length === 0)
    throw new Refusal("client:invalid_key", "the policy allows no keyspace");
  const reply = await fetch("http://latchkey/v2/keys.verifyKey", {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({
      key,
      keyspaces: keySpaceIds,
      credits: { cost: credits },
      permissions: permissionQuery || undefined,
      ratelimits,
    }),
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(VERIFY_TIMEOUT)]),
  });
  const { data, error } = (await reply.json()) as {
    readonly data?: VerifyKeyData;
    readonly error?: { readonly detail?: string };
  };
  const advice = reply.headers.get("X-Latchkey-Hint");
  if (reply.status !== 200 || data === undefined || !isServiceAnswer(data, keySpaceIds)) {
    const why = [`keys.verifyKey was answered ${reply.status}`, error?.detail, advice];
    throw new Refusal("platform:internal_server_error", why.filter(Boolean).join("; "));
  }
  limits.push(...(data.ratelimits ?? []));
  if (data.valid) return toPrincipal(data);
  throw new Refusal(refusals[data.code as keyof typeof refusals], advice ?? "", data.code);
}

/** Whether the service can give this answer. A custom operation may answer anything. */
function isServiceAnswer(
  { code, identity, keyId, keyspaceId, valid }: VerifyKeyData,
  allowed: readonly string[] | undefined,
): boolean {
  if (!valid) return Object.hasOwn(refusals, code);
  const isAllowed = keyspaceId && (allowed?.includes(keyspaceId) ?? true);
  return Boolean(code === "VALID" && keyId && isAllowed && identity?.externalId !== "");
}
