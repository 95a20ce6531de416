import type {
  AdmittedCall,
  DemandRefusal,
  Operation,
  Requirement,
} from "../operations/operation.ts";
import { checkHeader } from "../contract/headers.ts";
import type { Access } from "../store/store.ts";
import { missingRequirements } from "./authenticate.ts";
import { requestIdOf, type RequestContext } from "./request-context.ts";

type Input = Readonly<Record<string, unknown>>;

/**
 * Makes the call that an operation gets. It is a plain object, so an operation may copy it, and take
 * single functions out of it.
 * @throws ApiError if the token lacks a permission that the operation requires before it runs
 */
export function admit(
  operation: Operation,
  input: Input,
  access: Access,
  context: RequestContext,
): AdmittedCall<Input> {
  const authorize = (demanded: readonly Requirement[], refusal?: DemandRefusal) => {
    const missing = missingRequirements(access, demanded);
    if (missing.length === 0) return;
    throw context.version.refuseRequirements({ demanded, missing }, refusal);
  };
  const call: AdmittedCall<Input> = {
    input,
    workspace: access.workspace,
    workspaces: context.world.store.workspaces.all(),
    isUnseen: context.isUnseen,
    // Drawn before the operation runs, because a reset during the operation would reset the ids too.
    requestId: requestIdOf(context),
    demand: (requirements, refusal) =>
      authorize(checkRequirements(operation, "demand", requirements), refusal),
    may: (requirements) => missingRequirements(access, requirements).length === 0,
    setHeader(name, value) {
      checkHeader(`${operation.contract.name}: setHeader`, name, value);
      context.headers = { ...context.headers, [name]: value };
    },
  };
  authorize(checkRequirements(operation, "requires", operation.requires(call)));
  return call;
}

/**
 * Checks that a user's operation passed a list of requirements.
 * @throws TypeError if it passed anything else
 */
function checkRequirements(
  { contract }: Operation,
  where: "requires" | "demand",
  requirements: readonly Requirement[],
): readonly Requirement[] {
  const isValid =
    Array.isArray(requirements) && requirements.every((item) => Array.isArray(item?.oneOf));
  if (isValid) return requirements;
  const expected = "expected an array of requirements, as onApi makes them";
  throw new TypeError(`${contract.name}: ${where}: ${expected}`);
}
