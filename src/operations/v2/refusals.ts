import { ApiError } from "../../contract/errors.ts";
import type { DemandRefusal } from "../operation.ts";

/** A refusal of an operation, with the code and the message of the service. */
interface Refusal extends Omit<DemandRefusal, "status"> {
  readonly message: string;
}

/** Advice of latchkey goes into the hint, because clients show and compare the message. */
export function refuse({ code, message, type }: Refusal, hint?: string): ApiError {
  return new ApiError(code, message, { type, hint });
}

const invalid = (message: string): Refusal => ({ code: "BAD_REQUEST", message });

const unfit = (message: string): Refusal => ({ code: "PRECONDITION_FAILED", message });

const noApi = (message: string) =>
  ({ code: "NOT_FOUND", message, type: "unkey/data/api_not_found" }) as const satisfies Refusal;

const noKey = (message: string) =>
  ({ code: "NOT_FOUND", message, type: "unkey/data/key_not_found" }) as const satisfies Refusal;

/**
 * The refusals that operations of v2 share, with the exact messages of the service. Its operations
 * have different messages for the same mistake.
 */
export const refusals = {
  unknownKey: noKey("We could not find the requested key."),
  /** For a key of another workspace. Some operations answer it for every unknown key. */
  otherKey: noKey("The specified key was not found."),

  /** For a new key: there is no such API, or the token may not create keys for it. */
  specifiedApi: noApi("The specified API was not found."),
  /** For all else: there is no such API, or the token may not list its keys. */
  requestedApi: noApi("The requested API does not exist or has been deleted."),
  protectedApi: {
    code: "DELETE_PROTECTED",
    message: "This API has delete protection enabled. Disable it before attempting to delete.",
    type: "unkey/application/protected_resource",
  },
  noKeyspace: unfit("The requested API is not set up to handle keys."),
  /** For a new key. */
  noEncryption: unfit("This API does not support key encryption."),
  noEncryptionOfKey: unfit("The API for this key does not support key encryption."),
  noEncryptionOfList: unfit("The requested API does not support key encryption."),

  unknownRole: (name: string): Refusal => ({
    code: "NOT_FOUND",
    message: `Role '${name}' was not found.`,
    type: "unkey/data/role_not_found",
  }),
  unknownPermission: (slug: string): Refusal => ({
    code: "NOT_FOUND",
    message: `Permission '${slug}' was not found.`,
    type: "unkey/data/permission_not_found",
  }),
  /** @param identity the owner of the key; undefined if it has none */
  unknownRatelimit: (
    name: string,
    keyId: string,
    identity: { readonly id: string; readonly externalId: string } | undefined,
  ): Refusal => {
    const ofKey = `ratelimit '${name}' was requested but does not exist for key '${keyId}'`;
    return unfit(
      identity === undefined
        ? `${ofKey} and there is no identity connected.`
        : `${ofKey} nor identity: '${identity.id}' external ID: '${identity.externalId}'`,
    );
  },

  unlimitedCredits: invalid("You cannot increment or decrement a key with unlimited credits."),
  noValue: invalid(
    "When specifying an increment or decrement operation, a value must be provided.",
  ),
  noRemaining: invalid("`credits.remaining` must be provided when `credits.refill` is set."),
  noRefillDay: invalid("`refillDay` must be provided when the refill interval is `monthly`."),
  dailyRefillDay: invalid("`refillDay` must not be provided when the refill interval is `daily`."),

  permissionQuery: (message: string): Refusal => ({
    code: "BAD_REQUEST",
    message,
    type: "user/bad_request/permissions_query_syntax_error",
  }),
} as const;
