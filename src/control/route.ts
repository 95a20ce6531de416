import type * as z from "zod/mini";
import type { Lifetime } from "../base/lifetime.ts";
import * as f from "../schema/fields.ts";
import type { Fixture } from "../seed/format.ts";
import type { OpenApiDocument } from "../api/openapi/openapi.ts";
import type { VersionName } from "../api/version.ts";
import type { Mask } from "../base/wording/mask.ts";
import type { World } from "../world/world.ts";
import type { CheckFixture, ResetOptions } from "../world/settings.ts";

/** Facts about the emulator, for routes that describe it. Documents are made on demand. */
export interface Description {
  /** Whether each token that no fixture lists has a separate world. */
  readonly isIsolated: boolean;
  /** The URL of the gateway; undefined without one. */
  readonly gateway: string | undefined;
  control(): Promise<OpenApiDocument>;
  /** @param version Default: the first one that is served */
  operations(version?: VersionName): Promise<OpenApiDocument>;
}

/** The parsed request that a control route is called with. */
interface ControlCall<Query, Body> {
  readonly query: Query;
  readonly body: Body;
  /** The last segment of the path, like the id in `/faults/{id}`. */
  readonly id: string;
  readonly token: string | undefined;
  /**
   * Allows only a request that may control all worlds.
   * @param because the effect on the other worlds, for the message
   * @throws ApiError for any other request
   */
  readonly requireAll: (because: string) => void;
  /**
   * Resets the shared world and all isolated worlds.
   * @throws ApiError if the request may not control all of them
   */
  readonly resetAll: (options: ResetOptions) => Promise<void>;
  /**
   * Restores a snapshot, and makes it the initial state. On the shared world, isolated worlds start over
   * from it too.
   * @throws ApiError if the request may not control all of them, UsageError if the snapshot is invalid
   */
  readonly restoreAsInitial: (snapshot: Fixture) => Promise<void>;
  /**
   * Throws if a change of the tokens would leave no request able to use the control routes, or for more
   * keys than the request may add.
   */
  readonly checkFixture: CheckFixture;
  readonly description: Description;
  /** Ends when the client leaves or the server is closed. Undefined if neither can be noticed. */
  readonly client: Lifetime | undefined;
  /** Whether the request may also call the routes that change something. */
  readonly mayControl: boolean;
  /** The text of a record as the request may read it: with `latchkey.watch` alone, secrets are masked. */
  readonly show: Mask;
}

export class JsonBytes {
  readonly pieces: readonly Uint8Array[];

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces;
  }
}

/** The answer of a route. Without `status`, it is 200, or 204 if there is no body either. */
export interface ControlAnswer {
  readonly status?: number;
  /** A value to encode as JSON, or `JsonBytes`. */
  readonly body?: unknown;
  /** Instead of a body: server-sent events, until the signal is aborted. */
  readonly events?: (signal: AbortSignal) => AsyncIterable<string>;
}

/** A control route as data: its method and path, its input, its answers, and the function that runs it. */
export interface ControlRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Relative to `/_latchkey`. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** The description in the OpenAPI document, in Markdown. Default: the summary. */
  readonly description: string;
  /** Whether everyone may call it, without a token and from pages of any origin. */
  readonly isOpen: boolean;
  /** Whether a token with the permission `latchkey.watch` may call it, because it only shows. */
  readonly isForWatching: boolean;
  /** Whether its answer masks secrets for every token. Otherwise it does so for a token that may only watch. */
  readonly isMasked: boolean;
  readonly query: z.core.$ZodObject;
  /** Undefined for a route that reads no body. */
  readonly body: z.core.$ZodType | undefined;
  /** Whether `run` validates the body itself; `body` is only for the document then. */
  readonly parsesOwnBody: boolean;
  /** The schemas of the answers, by status; null for an answer without a body. */
  readonly answers: Readonly<Record<number, z.core.$ZodType | null>>;
  run(world: World, call: ControlCall<unknown, unknown>): Promise<ControlAnswer>;
}

type Definition<Query extends z.core.$ZodObject, Body extends z.core.$ZodType> = Pick<
  ControlRoute,
  "summary"
> &
  Partial<
    Pick<
      ControlRoute,
      "answers" | "description" | "isForWatching" | "isMasked" | "isOpen" | "parsesOwnBody"
    >
  > & {
    readonly query?: Query;
    readonly body?: Body;
    run(
      world: World,
      call: ControlCall<z.output<Query>, z.output<Body>>,
    ): ControlAnswer | void | Promise<ControlAnswer | void>;
  };

const noQuery = f.objectOf({});

/**
 * Infers the types of query and body from the schemas. If `run` returns nothing, the answer is 204.
 * @param call the method and the path
 */
export function defineRoute<
  Query extends z.core.$ZodObject = typeof noQuery,
  Body extends z.core.$ZodType = z.core.$ZodUndefined,
>(
  call: `${ControlRoute["method"]} ${ControlRoute["path"]}`,
  definition: Definition<Query, Body>,
): ControlRoute {
  const [method, path] = call.split(" ") as [ControlRoute["method"], ControlRoute["path"]];
  return {
    method,
    path,
    answers: { 204: null },
    isOpen: false,
    isForWatching: false,
    isMasked: false,
    parsesOwnBody: false,
    query: noQuery,
    body: undefined,
    description: definition.summary,
    ...definition,
    run: async (world, given) => (await definition.run(world, given as never)) ?? {},
  };
}
