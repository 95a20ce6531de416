import { ApiError, type ApiErrorDetails } from "../../../api/errors.ts";
import { type AdmittedCall, type DemandRefusal, onRoles, type Requirement } from "../operation.ts";
import type { Key } from "../../../state/keys/key.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { quoted } from "../../../base/wording/text.ts";
import { describeKeys, describeRecords } from "../hints.ts";
import { keyWithId } from "../keys.ts";

interface Refusal extends DemandRefusal {
  readonly message: string;
}

/** Advice of latchkey goes into the hint, because clients show and compare the message. */
export function refuse(
  { code, message, status, type }: Refusal,
  hint?: string,
  more: Pick<ApiErrorDetails, "isEcho"> = {},
): ApiError {
  return new ApiError(code, message, {
    ...(status !== undefined && { status }),
    type,
    hint,
    ...more,
  });
}

/**
 * The refusal of a call that names a record that does not exist.
 * @param others the records that exist; undefined for a token that must not learn them
 */
export function refuseUnknown(refusal: Refusal, missing: string, others?: string): ApiError {
  if (others === undefined) return refuse(refusal, missing, { isEcho: true });
  return refuse(refusal, `${missing}; ${others}`);
}

const invalid = (message: string): Refusal => ({ code: "BAD_REQUEST", message });

const unfit = (message: string): Refusal => ({ code: "PRECONDITION_FAILED", message });

const notFound = (noun: string, message: string): Refusal => ({
  code: "NOT_FOUND",
  message,
  type: `unkey/data/${noun}_not_found`,
});

const taken = (noun: string, message: string): Refusal => ({
  code: "CONFLICT",
  message,
  type: `unkey/data/${noun}_already_exists`,
});

/**
 * The refusals that operations of v2 share, with the exact messages of the service. Its operations
 * have different messages for the same mistake.
 */
export const refusals = {
  unknownKey: notFound("key", "We could not find the requested key."),
  /** For a key of another workspace. Some operations answer it for every unknown key. */
  otherKey: notFound("key", "The specified key was not found."),

  /** For a new key: the API does not exist, or the token may not create keys for it. */
  specifiedApi: notFound("api", "The specified API was not found."),
  /** For all other calls: the API does not exist, or the token may not list its keys. */
  requestedApi: notFound("api", "The requested API does not exist or has been deleted."),
  protectedApi: {
    code: "DELETE_PROTECTED",
    message: "This API has delete protection enabled. Disable it before attempting to delete.",
    type: "unkey/application/protected_resource",
  },
  unknownMigration: notFound(
    "migration",
    "The requested Migration does not exist or has been deleted.",
  ),
  /** For a key value that the algorithm of its migration cannot read. */
  malformedKey: {
    code: "BAD_REQUEST",
    message: "Invalid key format",
    type: "unkey/authentication/malformed",
  },
  noKeyspace: unfit("The requested API is not set up to handle keys."),
  noEncryption: unfit("This API does not support key encryption."),
  noEncryptionOfKey: unfit("The API for this key does not support key encryption."),
  noEncryptionOfList: unfit("The requested API does not support key encryption."),

  unknownRole: (name: string): Refusal => notFound("role", `Role '${name}' was not found.`),
  unknownPermission: (slug: string): Refusal =>
    notFound("permission", `Permission '${slug}' was not found.`),
  requestedRole: notFound("role", "The requested role does not exist."),
  requestedPermission: notFound("permission", "The requested permission does not exist."),
  /** @param end the service ends only the text of `updateRole` with a full stop */
  takenRole: (name: string, end = ""): Refusal =>
    taken("role", `A role with name '${name}' already exists in this workspace${end}`),
  takenPermission: (slug: string, end = ""): Refusal =>
    taken("permission", `A permission with slug '${slug}' already exists in this workspace${end}`),
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

  unknownIdentity: notFound("identity", "This identity does not exist."),
  takenExternalId: (externalId: string): Refusal =>
    taken("identity", `Identity with externalId '${externalId}' already exists in this workspace.`),
  doubledRatelimit: (name: string): Refusal =>
    invalid(`Ratelimit with name '${name}' is already defined in the request`),
  tooLargeMeta: (bytes: number, max: number): Refusal =>
    invalid(
      `Metadata is too large: it must be at most ${toMegabytes(max)}, but is ${toMegabytes(bytes)}.`,
    ),
  unknownNamespace: notFound("ratelimit_namespace", "This namespace does not exist."),
  deletedNamespace: {
    code: "PRECONDITION_FAILED",
    status: 410,
    message: "This namespace has been deleted. Contact support to restore.",
    type: "unkey/data/ratelimit_namespace_gone",
  },
  /** The override does not exist, or the token may not read it. */
  unknownOverride: notFound("ratelimit_override", "This override does not exist."),

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

/** As the service shows sizes: decimal units, with one place below 10. */
function toMegabytes(bytes: number): string {
  const rounded = Math.round(bytes / 100_000) / 10;
  return `${rounded.toFixed(rounded < 10 ? 1 : 0)} MB`;
}

type CallOfKey = AdmittedCall<{ readonly keyId: string }>;

/**
 * The key that a call names.
 * @throws ApiError if no workspace has the key, and with another message if another workspace has it
 */
export function requireKey(call: CallOfKey): Key {
  const { input, workspace, workspaces } = call;
  const key = keyWithId(workspace, input.keyId);
  if (key !== undefined) return key;
  if (workspaces.some((other) => keyWithId(other, input.keyId) !== undefined)) {
    throw refuse(refusals.otherKey, `${noSuchKey(call)}; another workspace has one`);
  }
  throw refuseUnknownKey(refusals.unknownKey, call);
}

/**
 * The key that a call names, for operations that do not reveal whether another workspace has it.
 * @throws ApiError if the workspace of the call has no such key
 */
export function requireOwnKey(call: CallOfKey): Key {
  const key = keyWithId(call.workspace, call.input.keyId);
  if (key !== undefined) return key;
  throw refuseUnknownKey(refusals.otherKey, call);
}

function refuseUnknownKey(refusal: Refusal, call: CallOfKey): ApiError {
  const mayRead = call.may([{ oneOf: ["api.*.read_key"] }]);
  return refuseUnknown(
    refusal,
    noSuchKey(call),
    mayRead ? describeKeys(call.workspace) : undefined,
  );
}

function noSuchKey({ input }: CallOfKey): string {
  return `no key of this workspace has the id ${quoted(input.keyId)}`;
}

const named = {
  roles: {
    action: "read_role",
    unknown: refusals.unknownRole,
    requested: refusals.requestedRole,
  },
  permissions: {
    action: "read_permission",
    unknown: refusals.unknownPermission,
    requested: refusals.requestedPermission,
  },
};
type Named = keyof typeof named;

/** Undefined for a token that may not list the records, because it must not learn which ones exist. */
function namedHint({ may, workspace }: AdmittedCall<unknown>, kind: Named): string | undefined {
  return may([onRoles(named[kind].action)]) ? describeRecords(workspace, kind) : undefined;
}

/**
 * The role or permission with this id, else the one with this name or slug.
 * @param needed without this right, the answer is the same as for a record that does not exist
 * @throws ApiError if the workspace has none
 */
export function requireOne<Kind extends Named>(
  call: AdmittedCall<unknown>,
  kind: Kind,
  idOrName: string,
  needed?: Requirement,
): NonNullable<ReturnType<Workspace[Kind]["find"]>> {
  const found = call.workspace[kind].find(idOrName);
  // Demanded for an unknown record too, because the hint must not reveal whether it exists.
  if (needed !== undefined) {
    call.demand([{ ...needed, recordId: found?.id }], named[kind].requested);
  }
  if (found === undefined) throw refuse(named[kind].requested, namedHint(call, kind));
  return found as NonNullable<ReturnType<Workspace[Kind]["find"]>>;
}

/**
 * Checks that roles or permissions exist, for calls that do not create them.
 * @throws ApiError that names the first one that does not
 */
export function requireNamed(
  call: AdmittedCall<unknown>,
  kind: Named,
  names: readonly string[] | undefined,
): void {
  const [missing] = call.workspace[kind].missing(names);
  if (missing !== undefined) throw refuse(named[kind].unknown(missing), namedHint(call, kind));
}
