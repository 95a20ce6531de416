import type {
  AdmittedCall,
  DemandRefusal,
  Operation,
  Requirement,
} from "../operations/operation.ts";
import { checkHeader } from "../contract/headers.ts";
import { shorten } from "../base/wording/shorten.ts";
import type { AccessToken } from "../store/records.ts";
import type { Access } from "../store/store.ts";
import type { CheckedCall } from "./interface-version.ts";
import type { RequestContext } from "./request-context.ts";

type Input = Readonly<Record<string, unknown>>;

/**
 * Makes the call that an operation gets. It is a plain object, so an operation may copy it, and take
 * single functions out of it.
 * @throws ApiError if the token lacks a permission that the operation requires before it runs
 */
export function admit(
  operation: Operation,
  { access, input }: CheckedCall,
  context: RequestContext,
): AdmittedCall<Input> {
  const demand = (demanded: readonly Requirement[], refusal?: DemandRefusal) => {
    const missing = missingRequirements(access, demanded);
    if (missing.length === 0) return;
    throw context.version.refuseRequirements({ demanded, missing }, refusal);
  };
  const call: AdmittedCall<Input> = {
    input: input.value,
    workspace: access.workspace,
    workspaces: context.world.store.workspaces.all(),
    isUnseen: context.isUnseen,
    requestId: context.requestId,
    demand,
    may: (requirements) => missingRequirements(access, requirements).length === 0,
    setHeader(name, value) {
      checkHeader(`${operation.contract.name}: setHeader`, name, value);
      context.headers = { ...context.headers, [name]: value };
    },
  };
  demand(operation.requires(call));
  return call;
}

/** The requirements that a token does not meet. `*` meets all. */
function missingRequirements(
  { token }: Access,
  requirements: readonly Requirement[],
): readonly Requirement[] {
  if (token.permissions.includes("*")) return [];
  return requirements.filter((requirement) => !isAllowed(token, [requirement]));
}

/** `the token needs api.*.read_key or api.x.read_key, and …` */
export function describeRequirements(missing: readonly Requirement[]): string {
  return `the token needs ${missing.map(describeRequirement).join(", and ")}`;
}

/** Permissions are shortened: they can contain an API id, which a client may send at any length. */
export function shownPermissions({ oneOf }: Requirement): readonly string[] {
  return oneOf.map((permission) => shorten(permission, 300));
}

function describeRequirement(requirement: Requirement): string {
  const { because } = requirement;
  const permissions = shownPermissions(requirement).join(" or ");
  return because === undefined ? permissions : `${permissions} (because ${because})`;
}

/** Permissions are matched exactly; `*` alone grants everything. */
export function isAllowed(
  { permissions }: AccessToken,
  requirements: readonly Requirement[],
): boolean {
  const isHeld = (permission: string) => permissions.includes(permission);
  return isHeld("*") || requirements.every(({ oneOf }) => oneOf.some(isHeld));
}
