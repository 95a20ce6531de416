import type {
  AdmittedCall,
  DemandRefusal,
  Operation,
  Requirement,
} from "../operations/operation.ts";
import type { Access } from "../store/store.ts";
import type { Workspace } from "../store/workspace.ts";
import { missingRequirements } from "./authenticate.ts";
import { requestIdOf, type RequestContext } from "./request-context.ts";

type Input = Readonly<Record<string, unknown>>;

/**
 * A call as operations see it. Its functions are getters, because operations take them out of the
 * call, and most of them take none: making all of them took as long as the rest of a small request.
 */
export class AdmittedRequest implements AdmittedCall<Input> {
  readonly workspace: Workspace;
  readonly input: Input;
  readonly isUnseen: boolean;
  /** Headers that the operation added to the reply; undefined for none. */
  headers: Record<string, string> | undefined;
  readonly #operation: Operation;
  readonly #access: Access;
  readonly #context: RequestContext;

  constructor(operation: Operation, input: Input, access: Access, context: RequestContext) {
    this.workspace = access.workspace;
    this.input = input;
    this.isUnseen = context.isUnseen;
    this.headers = undefined;
    this.#operation = operation;
    this.#access = access;
    this.#context = context;
  }

  get demand(): AdmittedCall<Input>["demand"] {
    return (requirements, refusal) =>
      this.authorize(checkRequirements(this.#operation, "demand", requirements), refusal);
  }

  get may(): AdmittedCall<Input>["may"] {
    return (requirements) => missingRequirements(this.#access, requirements).length === 0;
  }

  get setHeader(): AdmittedCall<Input>["setHeader"] {
    return (name, value) => {
      this.headers = { ...this.headers, [name]: value };
    };
  }

  get workspaces(): readonly Workspace[] {
    return [...this.#context.world.store.workspaces.values()];
  }

  get requestId(): string {
    return requestIdOf(this.#context);
  }

  /** @throws ApiError if the token lacks a permission that the operation requires before it runs */
  checkRequires(): void {
    const requirements = this.#operation.requires(this);
    this.authorize(checkRequirements(this.#operation, "requires", requirements));
  }

  authorize(demanded: readonly Requirement[], refusal?: DemandRefusal): void {
    const missing = missingRequirements(this.#access, demanded);
    if (missing.length === 0) return;
    throw this.#context.version.refuseRequirements({ demanded, missing }, refusal);
  }
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
