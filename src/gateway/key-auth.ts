import type { EmulatorFetch } from "../emulator/emulator.ts";
import type { VerifyKeyData } from "../service/operations/v2/verify-key.ts";
import type { Keyauth } from "./policies.ts";
import { type Principal, toPrincipal } from "./principal.ts";
import type { CheckedLimit } from "./rate-limit.ts";
import { Refusal } from "./refusals.ts";
import { type GatewayRequest, queryOf, valuesOf } from "./request.ts";

/** How long the service's local gateway waits for a verification, in milliseconds. */
const VERIFY_WITHIN = 10_000;

/** The key in a request: the first that is not empty; empty if there is none. */
function keyIn(request: GatewayRequest, { locations = [] }: Keyauth): string {
  const lineOf = (header: string) => valuesOf(request, header)[0] ?? "";
  // Compared in any case, and something has to follow.
  const behind = (prefix: string, value: string) =>
    value.toLowerCase().startsWith(prefix.toLowerCase()) ? value.slice(prefix.length) : "";
  const keys = (locations.length > 0 ? locations : [{ bearer: {} }]).map(
    ({ bearer, header, queryParam }) => {
      if (bearer) return behind("Bearer ", lineOf("Authorization"));
      if (header) return behind(header.stripPrefix ?? "", lineOf(header.name));
      return queryParam ? (queryOf(request).get(queryParam.name) ?? "") : "";
    },
  );
  return keys.find((key) => key !== "") ?? "";
}

/** What the gateway verifies by. */
export interface Verifier {
  readonly fetch: EmulatorFetch;
  readonly token: string;
}

/**
 * Asks the emulator about the key of a request, with the one call that the service's local gateway makes.
 * @param onChecked gets the outcome and the checked limits, before the key is refused
 * @throws Refusal unless the key is valid
 */
export async function authenticate(
  request: GatewayRequest,
  policy: Keyauth,
  by: Verifier,
  onChecked: (outcome: string, limits: readonly CheckedLimit[]) => void,
): Promise<Principal> {
  const { credits = 1, keySpaceIds, permissionQuery, ratelimits = [] } = policy;
  const key = keyIn(request, policy);
  if (key === "") throw new Refusal("client:missing_credentials", "the request has no key");
  if (keySpaceIds?.length === 0) throw new Refusal("client:invalid_key", "it allows no keyspace");
  const reply = await by.fetch("http://latchkey/v2/keys.verifyKey", {
    method: "POST",
    headers: { Authorization: `Bearer ${by.token}`, "Content-Type": "application/json" },
    body: JSON.stringify({
      key,
      keyspaces: keySpaceIds,
      credits: { cost: credits },
      permissions: permissionQuery || undefined,
      ratelimits: ratelimits.length > 0 ? ratelimits : undefined,
    }),
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(VERIFY_WITHIN)]),
  });
  const { data, error } = (await reply.json()) as {
    readonly data?: VerifyKeyData;
    readonly error?: { readonly detail?: string };
  };
  // An operation of the user's own may answer anything.
  const { code, identity, keyId, keyspaceId, valid } = data ?? {};
  const isWhole = keyId && keyspaceId && identity?.externalId !== "";
  const isAllowed = keySpaceIds?.includes(keyspaceId ?? "") ?? true;
  const isGood = valid === (code === "VALID") && (!valid || (isWhole && isAllowed));
  const advice = reply.headers.get("X-Latchkey-Hint") ?? undefined;
  if (reply.status !== 200 || data === undefined || !isGood) {
    const why = [`keys.verifyKey was answered ${reply.status}`, error?.detail, advice];
    throw new Refusal("platform:internal_server_error", why.filter(Boolean).join("; "));
  }
  onChecked(data.code, data.ratelimits ?? []);
  if (valid) return toPrincipal(data);
  // The emulator says why.
  throw new Refusal(codes[data.code] ?? "client:invalid_key", advice ?? data.code);
}

const codes: Readonly<Record<string, Refusal["code"]>> = {
  INSUFFICIENT_PERMISSIONS: "client:insufficient_permissions",
  RATE_LIMITED: "client:rate_limited",
  USAGE_EXCEEDED: "client:usage_exceeded",
};
