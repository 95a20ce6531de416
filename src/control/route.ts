import type * as z from "zod/mini";
import { objectOf } from "../schema/fields.ts";
import type { OpenApiDocument } from "../contract/openapi.ts";
import type { CheckTokens } from "../world/check-tokens.ts";
import type { ResetOptions } from "../world/reset-options.ts";
import type { World } from "../world/world.ts";

/** What describes the emulator; documents are made when they are asked for. */
export interface Description {
  /** Whether tokens that no fixture lists have worlds of their own. */
  readonly isIsolated: boolean;
  control(): Promise<OpenApiDocument>;
  operations(): Promise<OpenApiDocument>;
}

/** A request to a control route, as far as the route itself has to read it. */
interface ControlCall<Query, Body> {
  readonly query: Query;
  readonly body: Body;
  /** The last part of the path: in `/faults/{id}`, the one that is meant. */
  readonly id: string;
  /** The bearer token, if there is one. */
  readonly token: string | undefined;
  /**
   * Resets the shared world, and under isolation those of single tokens.
   * @throws ApiError for a request that may not
   */
  readonly resetAll: (options: ResetOptions) => Promise<void>;
  /** Prevents a change after which no token could use the control routes. */
  readonly checkTokens: CheckTokens;
  readonly description: Description;
}

/** What a route answers; a body that is bytes is JSON already, and without one it is 204. */
export interface ControlAnswer {
  readonly status?: number;
  readonly body?: unknown;
  /** Instead of a body: events, until the signal ends them. */
  readonly events?: (signal: AbortSignal) => AsyncIterable<string>;
}

export interface ControlRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/_latchkey`. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** What its OpenAPI document says beyond that, in Markdown. Default: the summary. */
  readonly description: string;
  /** Whether anyone may call it, from any page and with any token. */
  readonly isOpen: boolean;
  /** Default: no parameters. */
  readonly query: z.core.$ZodObject;
  /** Undefined for a route that reads no body. */
  readonly body: z.core.$ZodType | undefined;
  /** Whether it answers with events, and goes on doing so. */
  readonly isStream: boolean;
  /** Whether `run` reads the body itself, and tells what is wrong with it. */
  readonly parsesOwnBody: boolean;
  /** What it answers with, by status; null for no body. */
  readonly answers: Readonly<Record<number, z.core.$ZodType | null>>;
  run(world: World, call: ControlCall<unknown, unknown>): Promise<ControlAnswer>;
}

type Definition<Query extends z.core.$ZodObject, Body extends z.core.$ZodType> = Pick<
  ControlRoute,
  "method" | "path" | "summary" | "answers"
> &
  Partial<Pick<ControlRoute, "description" | "isOpen" | "parsesOwnBody" | "isStream">> & {
    readonly query?: Query;
    readonly body?: Body;
    run(
      world: World,
      call: ControlCall<z.output<Query>, z.output<Body>>,
    ): ControlAnswer | void | Promise<ControlAnswer | void>;
  };

const noQuery = objectOf({});

/** Types the two sides of a route by its schemas. One that returns nothing answers 204. */
export function defineRoute<
  Query extends z.core.$ZodObject = typeof noQuery,
  Body extends z.core.$ZodType = z.core.$ZodUndefined,
>(definition: Definition<Query, Body>): ControlRoute {
  return {
    isOpen: false,
    parsesOwnBody: false,
    isStream: false,
    query: noQuery,
    body: undefined,
    description: definition.summary,
    ...definition,
    run: async (world, call) => (await definition.run(world, call as never)) ?? {},
  };
}
