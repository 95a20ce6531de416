import type { Operation } from "./operations/operation.ts";
import { type PlainReply, preflightReply } from "./reply.ts";
import { isControlPath, type PlainRequest } from "./request.ts";
import type { RequestContext } from "./request-context.ts";
import { successReply } from "./v2.ts";
import { ApiError } from "../api/errors.ts";
import type { ServedContract } from "../api/operation.ts";
import { meantOperation } from "../api/meant-operation.ts";
import { versionAt } from "../api/version.ts";
import { closest, wholeOrLength } from "../base/wording/text.ts";

/** Methods that the reply to a preflight allows, if no operation has the path. */
const ANY_METHOD = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * The operation for path and method, or the reply to a browser's preflight or to `GET /v2/liveness`,
 * which call no operation.
 * @throws ApiError METHOD_NOT_ALLOWED, or NOT_FOUND that names the closest operation
 */
export function route(
  context: RequestContext,
  operations: readonly Operation[],
): Operation | PlainReply {
  const { operation, request, version } = context;
  if (operation === undefined) return answerUnserved(context, operations);
  const { method, name } = operation.contract;
  const methods = methodsOf(method);
  if (methods.includes(request.method)) {
    context.isRouted = true;
    return operation;
  }
  const options = version.takesOptions ? ["OPTIONS"] : [];
  if (isPreflight(request) || options.includes(request.method)) {
    return answerPreflight([...methods, "OPTIONS"], context);
  }
  throw methodNotAllowed(`${name} is called with ${method}`, [...methods, ...options]);
}

/** Preflights succeed for every path. Otherwise a browser would not show the 404 to the page. */
function answerUnserved(context: RequestContext, operations: readonly Operation[]): PlainReply {
  const { method, path } = context.request;
  if (isPreflight(context.request)) return answerPreflight(ANY_METHOD, context);
  if (path !== liveness.path) throw notServed(operations, path);
  const methods = methodsOf(liveness.method);
  if (!methods.includes(method)) throw methodNotAllowed(`${path} is called with GET`, methods);
  return successReply(context.requestId, { data: { message: "latchkey is up" } });
}

function isPreflight({ header, method }: PlainRequest): boolean {
  return method === "OPTIONS" && header("access-control-request-method") !== undefined;
}

function answerPreflight(methods: readonly string[], context: RequestContext): PlainReply {
  const requested = context.request.header("access-control-request-headers");
  return preflightReply(context.requestId, methods, requested);
}

/**
 * Shows scripts that the service is up. Only v2 has it here. It is no operation: it needs no token, no
 * fault hits it, and it is in neither log nor journal.
 */
export const liveness = { method: "GET", path: "/v2/liveness" } as const;

/** The methods of a path whose route has this method: GET comes with HEAD. */
export function methodsOf(method: string): readonly string[] {
  return method === "GET" ? ["GET", "HEAD"] : [method];
}

export function methodNotAllowed(message: string, allowed: readonly string[]): ApiError {
  return new ApiError("METHOD_NOT_ALLOWED", message, { headers: { Allow: allowed.join(", ") } });
}

/** Paths from before operations had names, each with the operation that replaced it. */
const olderPaths: readonly (readonly [path: RegExp, shown: string, name: string])[] = [
  [/^\/v1\/keys\/?$/, "/v1/keys", "keys.createKey"],
  [/^\/v1\/keys\/verify\/?$/, "/v1/keys/verify", "keys.verifyKey"],
  [/^\/v1\/apis\/[^/]+\/keys\/?$/, "/v1/apis/{apiId}/keys", "apis.listKeys"],
];

/** Operations that latchkey serves only in v2: their names in v1 and in v2. */
export const namesInV2: ReadonlyMap<string, string> = new Map([
  ...namesIn("keys", "whoami addPermissions removePermissions setPermissions"),
  ...namesIn("keys", "addRoles removeRoles setRoles"),
  ...namesIn("apis", "createApi getApi deleteApi"),
  ...namesIn("identities", "createIdentity getIdentity listIdentities updateIdentity"),
  ...namesIn("identities", "deleteIdentity"),
  ...namesIn("permissions", "createPermission getPermission listPermissions deletePermission"),
  ...namesIn("permissions", "createRole getRole listRoles deleteRole"),
  ...namesIn("ratelimits", "setOverride getOverride listOverrides deleteOverride", "ratelimit"),
  ["migrations.createKeys", "keys.migrateKeys"],
  ["migrations.enqueueKeys", "keys.migrateKeys"],
]);

function namesIn(group: string, names: string, groupInV2 = group): [string, string][] {
  return names.split(" ").map((name) => [`${group}.${name}`, `${groupInV2}.${name}`]);
}

const RECIPE =
  "For an operation that answers it from the usage that latchkey counts, see node_modules/latchkey/docs/own-operations.md, Verifications.";
const README = "defineOperation adds more, see node_modules/latchkey/docs/refusals.md.";

/**
 * The 404 for a path that no operation has. The details are in the message, because clients show nothing
 * else of an error.
 */
function notServed(served: readonly Operation[], path: string): ApiError {
  if (isControlPath(path)) {
    return new ApiError(
      "NOT_FOUND",
      "control routes are not served here; use the methods of the emulator in process (emulator.reset(), emulator.faults, emulator.clock, emulator.requests)",
    );
  }
  const inV2 = operationInV2(served, path);
  if (inV2 !== undefined) {
    const start = `latchkey does not serve ${lastSegment(path)} of v1`;
    return new ApiError("NOT_FOUND", `${start}; in v2 it is ${requestLine(inV2)}. ${README}`);
  }
  const [, older, replacement] = olderPaths.find(([pattern]) => pattern.test(path)) ?? [];
  // Only the operations of the same version, if there are any.
  const version = versionAt(withoutPrefix(path.toLowerCase())) ?? versionAt(path) ?? "v2";
  const ofVersion = served.filter(({ contract }) => contract.version === version);
  const related = ofVersion.length === 0 ? served : ofVersion;
  const similar =
    replacement === undefined
      ? (findSimilar(related, path) ?? livenessLike(path) ?? findSimilar(served, path))
      : related.find(({ contract }) => contract.name === replacement)?.contract;
  const subject =
    older === undefined
      ? `${describePath(path, ofVersion.length > 0)}${misplacementOf(path)}`
      : `the older path ${older} (now ${replacement})`;
  const start = `latchkey does not serve ${subject}; `;
  const suggestion =
    similar === undefined
      ? describeServed(related, MAX_SENTENCE - start.length)
      : `the closest that it serves is ${requestLine(similar)}.`;
  // Each older path was a path of the service.
  const about = older === undefined ? `${aboutService(path)} ` : "";
  const recipe = lastSegment(path) === "analytics.getVerifications" ? RECIPE : README;
  return new ApiError("NOT_FOUND", `${start}${suggestion} ${about}${recipe}`);
}

/** The operation of v2 that does the same as the operation of v1 with this path. */
function operationInV2(served: readonly Operation[], path: string): ServedContract | undefined {
  const [, nameInV1 = ""] = /^\/v1\/([A-Za-z.]+)$/.exec(path) ?? [];
  const name = namesInV2.get(nameInV1);
  const contracts = served.map(({ contract }) => contract);
  return contracts.find((contract) => contract.version === "v2" && contract.name === name);
}

/** The path from its last version on, with each double slash as one. */
function withoutPrefix(path: string): string {
  return path.replaceAll(/\/{2,}/g, "/").replace(/^.*(?=\/v\d+\/)/, "");
}

/** A phrase about a mistake before the operation in a path; empty if there is none. */
function misplacementOf(path: string): string {
  if (path.includes("//"))
    return ", which has a double slash: the base URL of the client may end in a slash";
  const [, prefix] = /^(\/.+?)\/(?:v\d+|_latchkey)\/[^/]+$/.exec(path) ?? [];
  if (prefix !== undefined)
    return `, which begins with ${wholeOrLength(prefix, MAX_SHOWN_PATH)}: the base URL of the client may have a path`;
  return /^\/[A-Za-z]+\.[A-Za-z]+$/.test(path) ? ", which has no version" : "";
}

const MAX_SHOWN_PATH = 100;

/** `keys.verifyKey`, `keys.verifyKey of v2`, or `the path /v1/keys.verifyKey/`. */
function describePath(path: string, isVersionServed: boolean): string {
  const [, version, name] = /^\/(v\d{1,3})\/([A-Za-z]+\.[A-Za-z]+)$/.exec(path) ?? [];
  if (name === undefined) return `the path ${wholeOrLength(path, MAX_SHOWN_PATH)}`;
  return version === "v1" && isVersionServed ? name : `${name} of ${version}`;
}

/**
 * The operation that the client probably meant. Its name is similar to the last segment of the sent
 * path, or its path differs by a few characters (capitals, a slash, the version).
 */
function findSimilar(served: readonly Operation[], path: string): ServedContract | undefined {
  const contracts = served.map(({ contract }) => contract);
  const names = contracts.map(({ name }) => name);
  const name = meantOperation(lastSegment(path), names);
  // If several versions have the operation, the oldest one.
  if (name !== undefined) return contracts.find((contract) => contract.name === name);
  const paths = contracts.map((contract) => contract.path.toLowerCase());
  return contracts[paths.indexOf(closest(path.toLowerCase(), paths) ?? "")];
}

/** `GET /v2/liveness`, if the path differs from it by a few characters. */
function livenessLike(path: string) {
  const isLike = closest(path.toLowerCase(), [liveness.path]) !== undefined;
  return isLike ? liveness : undefined;
}

function lastSegment(path: string): string {
  return path.split("/").findLast((segment) => segment !== "") ?? "";
}

/** Clients repeat the first sentence in their own errors, so it must be short. */
const MAX_SENTENCE = 300;

/** `it serves POST /v2/keys.createKey, …, and 9 more.`, with as many operations as fit into `room`. */
function describeServed(served: readonly Operation[], room: number): string {
  let text = "";
  const names: string[] = [];
  for (const operation of served) {
    names.push(requestLine(operation.contract));
    const more = served.length - names.length;
    const longer = `it serves ${names.join(", ")}${more > 0 ? `, and ${more} more` : ""}.`;
    if (text !== "" && longer.length >= room) break;
    text = longer;
  }
  return text;
}

function requestLine({ method, path }: Pick<ServedContract, "method" | "path">): string {
  return `${method} ${path}`;
}

/** Known operations of v2 in groups that latchkey does not serve, as of autumn 2026. */
const KNOWN = /^analytics\.get(?:Verifications|Ratelimits|RuntimeLogs|GatewayRequests)$/;

/** All groups of v2 that latchkey does not serve, as of autumn 2026. */
const GROUP =
  /^(?:analytics|apps|deploy|deployments|domains|environments|gateway|github|logdrains|portal|projects|rootKeys|workspace)\.[A-Za-z]+$/;

/** Operations of v1 that v2 does not have under another name. */
const OF_V1 = /^(?:(?:analytics|keys)\.getVerifications|liveness)$/;

/** Says whether the service has an operation at a path that latchkey does not serve. */
function aboutService(path: string): string {
  if (path === "/openapi.yaml" || path === "/reference") return "The service has it.";
  const [, version, name = ""] = /^\/(v[12])\/(.*)$/.exec(path) ?? [];
  if (version === "v1") {
    return OF_V1.test(name) ? "v1 of the service had it." : "v1 of the service did not have it.";
  }
  if (version === "v2" && KNOWN.test(name)) return "The service has it.";
  if (version === "v2" && GROUP.test(name)) return "The service has this group of operations.";
  return "The service does not have it.";
}
