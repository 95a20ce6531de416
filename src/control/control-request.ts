import { ApiError } from "../api/errors.ts";
import { readOrThrow } from "../schema/problems.ts";
import { throwLines } from "../base/usage-error.ts";
import { unknownName, wholeOrLength } from "../base/wording/text.ts";
import type { ControlRoute } from "./route.ts";
import { controlRoutes } from "./routes.ts";
import {
  bytesOf,
  CONTROL_PATH,
  MAX_DEPTH,
  maxBodyOf,
  parseJson,
  type PlainRequest,
  readQuery,
} from "../service/request.ts";
import { methodNotAllowed, methodsOf } from "../service/route.ts";

/**
 * A pattern for the path of each route. A parameter like `{id}` is the last segment, and matches any
 * word.
 */
const patterns = controlRoutes.map((route) => {
  const pattern = route.path.replaceAll(".", "\\.").replace(/\{\w+\}$/, "[\\w-]+");
  return { route, pattern: new RegExp(`^${pattern}$`) };
});

function routesAt(path: string): readonly ControlRoute[] {
  const routes = patterns.filter(({ pattern }) => pattern.test(path)).map(({ route }) => route);
  const exact = routes.filter((route) => route.path === path);
  return exact.length === 0 ? routes : exact;
}

/** @throws ApiError NOT_FOUND for an unknown path, METHOD_NOT_ALLOWED for a wrong method */
export function findControlRoute({ method, path }: PlainRequest): ControlRoute {
  const place = path.slice(CONTROL_PATH.length);
  const routes = routesAt(place);
  if (routes.length === 0) {
    const known = [...new Set(controlRoutes.map((route) => route.path.slice(1)))];
    const expected = unknownName("control route", place.slice(1), known);
    throw new ApiError("NOT_FOUND", `path: ${expected}`);
  }
  const route = routes.find((each) => methodsOf(each.method).includes(method));
  if (route !== undefined) return route;
  const allowed = routes.flatMap((each) => methodsOf(each.method));
  const message = `method: expected ${allowed.join(", ")}, got ${wholeOrLength(method, 20)}`;
  throw methodNotAllowed(message, allowed);
}

/**
 * Parses and validates the query.
 * @throws UsageError for unknown or invalid parameters, ApiError BAD_REQUEST if it cannot be decoded
 */
export function readParameters(
  { isOpen, query: schema }: ControlRoute,
  { query }: PlainRequest,
): unknown {
  const parameters = readQuery(query, "query: ");
  const known = Object.keys(schema._zod.def.shape);
  const lines: string[] = [];
  for (const name of Object.keys(parameters).filter((sent) => !known.includes(sent))) {
    const expected =
      known.length === 0 ? "expected no parameters" : unknownName("parameter", name, known);
    lines.push(`query: ${wholeOrLength(name, SHOWN_CHARACTERS)}: ${expected}`);
    delete parameters[name];
  }
  // Health checks may add parameters that prevent caching.
  if (!isOpen) throwLines(lines);
  return readOrThrow(schema, parameters, "query");
}

/** The maximum length of a parameter's name in a message, because clients choose the names. */
const SHOWN_CHARACTERS = 100;

/**
 * Parses and validates the body; undefined for a route without one.
 * @param isOwn whether the request may control its isolated world only
 * @throws UsageError for an invalid body, ApiError BAD_REQUEST for malformed JSON, a body that is too
 *   long (413), or too much nesting
 */
export function readControlBody(
  { body: schema, parsesOwnBody, path }: ControlRoute,
  request: PlainRequest,
  isOwn: boolean,
): unknown {
  if (schema === undefined) return undefined;
  const whose = isOwn ? " from a token with an isolated workspace" : "";
  const bytes = bytesOf(request.body, maxBodyOf(request.path, isOwn ? "own" : "all"), (max) => {
    const message = `body: expected at most ${max} bytes${whose}`;
    return new ApiError("BAD_REQUEST", message, { status: 413 });
  });
  const parsed = parseJson(bytes, true);
  if (parsed.problem !== undefined) {
    const expected =
      parsed.problem === "too deep"
        ? `expected at most ${MAX_DEPTH} levels of nesting`
        : `expected a JSON object, got ${parsed.problem}`;
    throw new ApiError("BAD_REQUEST", `body: ${expected}`);
  }
  return parsesOwnBody ? parsed.value : readOrThrow(schema, parsed.value, path.slice(1));
}
