import { keyRecordSchema } from "./v1/key-record.ts";
import { served, type Contract, type ObjectSchema } from "../contract/operation.ts";
import type { VersionName } from "../contract/version.ts";
import type { Schema } from "../schema/schema.ts";
import type { PublicWorkspace } from "../store/public/workspace.ts";
import type * as builtIn from "./operation.ts";

/** The arguments of an operation: its parsed input and the workspace of the token. */
export type Call<Input> = builtIn.Call<Input, PublicWorkspace>;
/** A call whose token has the permissions that `requires` named. */
export type AdmittedCall<Input> = builtIn.AdmittedCall<Input, PublicWorkspace>;
/** An operation: its contract, and the code that runs it. */
export interface Operation<
  Input extends ObjectSchema = ObjectSchema,
  Output extends Schema = Schema,
> extends Omit<builtIn.Operation<Input, Output, PublicWorkspace>, "contract"> {
  readonly contract: Contract<Input, Output>;
}
/**
 * The argument of `defineOperation`. Without `requires`, any valid token may call the operation.
 */
export interface OperationDefinition<Input extends ObjectSchema, Output extends Schema>
  extends
    Omit<Operation<Input, Output>, "requires">,
    Partial<Pick<Operation<Input, Output>, "requires">> {
  /** The version of the interface. Default: that of the contract. */
  readonly version?: VersionName | undefined;
}

/**
 * Defines an operation of your own, for the option `operations`. The types of `requires` and `run`
 * follow from the schemas of the contract, which you write with `zod` 4 or `zod/mini`. In `v2`, it
 * returns an object with `data`, and perhaps `pagination`; the emulator adds `meta`.
 */
export function defineOperation<Input extends ObjectSchema, Output extends Schema>(
  definition: OperationDefinition<Input, Output>,
): Operation {
  const { contract, requires = () => [], version, ...rest } = definition;
  const versioned = version === undefined ? contract : { ...contract, version };
  return { ...rest, requires, contract: versioned } as unknown as Operation;
}

/**
 * A user's operation in the form that the service calls. It gets public workspaces, so that it cannot
 * change records behind indexes and caches.
 */
export function toOperation(own: Operation): builtIn.Operation {
  const { name } = own.contract;
  return {
    contract: served(own.contract),
    requires({ input, isUnseen = false, workspace }) {
      const requirements = own.requires({ input, isUnseen, workspace: workspace.public });
      return checkRequirements(`${name}: requires`, requirements);
    },
    run: ({ demand, workspace, workspaces, ...call }) =>
      own.run({
        ...call,
        demand: (requirements, refusal) =>
          demand(checkRequirements(`${name}: demand`, requirements), refusal),
        workspace: workspace.public,
        workspaces: workspaces.map((each) => each.public),
      }),
  };
}

/** @throws TypeError if a user's operation passed anything but requirements */
function checkRequirements(
  where: string,
  requirements: readonly builtIn.Requirement[],
): readonly builtIn.Requirement[] {
  const isValid =
    Array.isArray(requirements) && requirements.every((item) => Array.isArray(item?.oneOf));
  if (isValid) return requirements;
  throw new TypeError(`${where}: expected an array of requirements, as onApi makes them`);
}

/**
 * The schema of a key as `apis.listKeys` of v1 returns it, for the output of your own operations. A
 * constant, because users put it into their schemas; latchkey itself makes it when it is first needed.
 */
export const keyRecord = keyRecordSchema();
