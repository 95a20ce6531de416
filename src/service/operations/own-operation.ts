import { served, type Contract, type ObjectSchema, type OutputOf } from "../../api/operation.ts";
import type { VersionName } from "../../api/version.ts";
import { ignore, isPromise } from "../../base/realm.ts";
import { kindOf } from "../../schema/problems.ts";
import type { Schema } from "../../schema/schema.ts";
import type { PublicWorkspace } from "../../state/public/workspace.ts";
import type { Workspace } from "../../state/workspace.ts";
import type * as builtIn from "./operation.ts";

/** What an operation may keep between calls. An object, so that calls can change it. */
type OperationState = object | undefined;

/** The arguments of an operation: its parsed input and the workspace of the token. */
export interface Call<Input, State extends OperationState = OperationState> extends builtIn.Call<
  Input,
  PublicWorkspace
> {
  /** The time of the emulator's clock when the operation is called, in unix milliseconds. */
  readonly now: number;
  /** The object that the function `state` of the operation has made; undefined without it. */
  readonly state: State;
}
/** A call whose token has the permissions that `requires` named. */
export interface AdmittedCall<Input, State extends OperationState = OperationState>
  extends builtIn.AdmittedCall<Input, PublicWorkspace>, Call<Input, State> {}

/** An operation: its contract, and the code that runs it. */
export interface Operation<
  Input extends ObjectSchema = ObjectSchema,
  Output extends Schema = Schema,
  State extends OperationState = OperationState,
> {
  /** Its name, method and path, and the schemas of its input and output. */
  readonly contract: Contract<Input, Output>;
  /**
   * Makes the object that the operation keeps between calls, when it is first called. Each isolated
   * workspace has another one. `reset`, `reseed` and `restore` forget it, and no snapshot contains it.
   * Operations with the same function share one object. Default: none.
   */
  readonly state?: (() => State) | undefined;
  /**
   * The permissions that the token needs before the call runs. They are checked before anything is
   * looked up, so a token without them cannot find out which APIs exist.
   */
  requires(call: Call<OutputOf<Input>, State>): readonly builtIn.Requirement[];
  /**
   * Does the work and returns the body of the reply, in v2 without `meta`.
   * @throws ApiError for a refusal; throw it before you write anything
   */
  run(
    call: AdmittedCall<OutputOf<Input>, State>,
  ): builtIn.Result<Output> | Promise<builtIn.Result<Output>>;
}

/** The argument of `defineOperation`. Without `requires`, any valid token may call the operation. */
export interface OperationDefinition<
  Input extends ObjectSchema,
  Output extends Schema,
  State extends OperationState = undefined,
>
  extends
    Omit<Operation<Input, Output, State>, "requires">,
    Partial<Pick<Operation<Input, Output, State>, "requires">> {
  /** The version of the interface. Default: the version of the contract. */
  readonly version?: VersionName | undefined;
}

/**
 * Defines an operation of your own, for the option `operations`. The types of `requires` and `run`
 * follow from `state`, and from the schemas of the contract, which you write with `zod` 4 or
 * `zod/mini`. In `v2`, it returns an object with `data`, and perhaps `pagination`; the emulator adds `meta`.
 */
export function defineOperation<
  Input extends ObjectSchema,
  Output extends Schema,
  State extends OperationState = undefined,
>(definition: OperationDefinition<Input, Output, State>): Operation {
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
  const more = (workspace: Workspace, states: builtIn.OperationStates) => ({
    now: workspace.clock.now(),
    state: stateOf(own, states),
    workspace: workspace.public,
  });
  return {
    contract: served(own.contract),
    isOwn: true,
    requires({ input, isUnseen = false, workspace }, states) {
      const requirements = own.requires({ input, isUnseen, ...more(workspace, states) });
      return checkRequirements(`${name}: requires`, requirements);
    },
    run: ({ demand, meets, workspace, workspaces, ...call }, states) =>
      own.run({
        ...call,
        ...more(workspace, states),
        demand: (requirements, refusal) =>
          demand(checkRequirements(`${name}: demand`, requirements), refusal),
        meets: (requirements) => meets(checkRequirements(`${name}: meets`, requirements)),
        workspaces: workspaces.map((each) => each.public),
      }),
  };
}

/** @throws TypeError if the user's function returned no object, or a promise */
function stateOf(
  { contract, state: make }: Operation,
  states: builtIn.OperationStates,
): OperationState {
  if (make === undefined) return undefined;
  if (!states.has(make)) {
    const made: unknown = make();
    if (isPromise(made)) ignore(made);
    if (typeof made !== "object" || made === null || isPromise(made)) {
      const found = isPromise(made) ? "a promise" : kindOf(made);
      throw new TypeError(`${contract.name}: state: expected an object, got ${found}`);
    }
    states.set(make, made);
  }
  return states.get(make) as object;
}

/** @throws TypeError if a user's operation passed anything but requirements */
function checkRequirements(
  where: string,
  requirements: readonly builtIn.Requirement[],
): readonly builtIn.Requirement[] {
  const isValid =
    Array.isArray(requirements) && requirements.every((item) => Array.isArray(item?.oneOf));
  if (isValid) return requirements;
  if (isPromise(requirements)) ignore(requirements);
  throw new TypeError(`${where}: expected an array of requirements, as onApi makes them`);
}
