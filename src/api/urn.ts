import { closest, quoted } from "../base/wording/text.ts";

/*
 * Permissions in both forms of the service: `api.api_1.read_key`, and as a URN
 * `unkey:v1:ws_1:projects/<project>/keyspaces/ks_1/keys/*#read`. A URN that a token has may contain `*`
 * for one segment, and end in `**` for all that is below. latchkey has no projects: any project counts,
 * and so does the older form without one.
 */

/** A right that a call needs. */
export interface NeededRight {
  /** The token needs one of these permissions, which are compared exactly. */
  readonly oneOf: readonly string[];
  /**
   * The id of the record that the call is about, which a URN may name: a key, a role, a permission or an
   * override. Default: `*`, which only a URN with `*` in this place grants.
   */
  readonly recordId?: string | undefined;
  /** The URN of this permission grants the right too. Default: the most exact one of `oneOf`. */
  readonly like?: string | undefined;
}

interface Urn {
  readonly workspaceId: string;
  /** Segments, without the project. */
  readonly path: readonly string[];
  readonly action: string;
}

/**
 * The resource and the action in the URN of each permission that operations need. `$` is the id of the
 * API's keyspace, of the namespace or of the identity, and `@` is the id of the record.
 */
const targets: Readonly<Record<string, string>> = {
  "api.create_api": "keyspaces/*#write",
  "api.read_api": "keyspaces/$#read",
  "api.delete_api": "keyspaces/$#delete",
  "api.create_key": "keyspaces/$/keys/*#write",
  "api.encrypt_key": "keyspaces/$/keys/*#write",
  "api.read_key": "keyspaces/$/keys/@#read",
  "api.update_key": "keyspaces/$/keys/@#write",
  "api.delete_key": "keyspaces/$/keys/@#delete",
  "api.verify_key": "keyspaces/$/keys/@#verify",
  "api.decrypt_key": "keyspaces/$/keys/@#decrypt",
  "ratelimit.limit": "ratelimits/namespaces/$#limit",
  "ratelimit.create_namespace": "ratelimits/namespaces/*#write",
  "ratelimit.set_override": "ratelimits/namespaces/$/overrides/@#write",
  "ratelimit.read_override": "ratelimits/namespaces/$/overrides/@#read",
  "ratelimit.delete_override": "ratelimits/namespaces/$/overrides/@#delete",
  "identity.create_identity": "identities/*#write",
  "identity.read_identity": "identities/$#read",
  "identity.update_identity": "identities/$#write",
  "identity.delete_identity": "identities/$#delete",
  "rbac.create_permission": "rbac/permissions/*#write",
  "rbac.read_permission": "rbac/permissions/@#read",
  "rbac.update_permission": "rbac/permissions/@#write",
  "rbac.delete_permission": "rbac/permissions/@#delete",
  "rbac.create_role": "rbac/roles/*#write",
  "rbac.read_role": "rbac/roles/@#read",
  "rbac.update_role": "rbac/roles/@#write",
  "rbac.delete_role": "rbac/roles/@#delete",
  "rbac.add_permission_to_role": "rbac/roles/@#write",
  "rbac.remove_permission_from_role": "rbac/roles/@#write",
  "rbac.add_permission_to_key": "keyspaces/*/keys/*#write",
  "rbac.remove_permission_from_key": "keyspaces/*/keys/*#write",
  "rbac.add_role_to_key": "keyspaces/*/keys/*#write",
};

/** The noun for each collection in earlier names of actions, as in `read_keyspace`. */
const nouns: Readonly<Record<string, string>> = {
  keyspaces: "keyspace",
  keys: "key",
  namespaces: "ratelimit_namespace",
  overrides: "override",
  identities: "identity",
  roles: "role",
  permissions: "permission",
};

/** The part of a token's workspace that URNs refer to. */
export interface UrnScope {
  readonly id: string;
  readonly apis: { get(id: string): { readonly keyspaceId?: string | undefined } | undefined };
}

const TUPLE = /^([a-z]+)\.([^.]+)\.([a-z_]+)$/;

interface Target extends Urn {
  /** Earlier names of the action, which a URN may still have. */
  readonly former: readonly string[];
}

/** The resource and the action that a right is about; undefined if no URN grants it. */
function targetOf(right: NeededRight, scope: UrnScope): Target | undefined {
  const [, group = "", id = "", name = ""] = TUPLE.exec(permissionOf(right)) ?? [];
  const target = targets[`${group}.${name}`];
  if (target === undefined) return undefined;
  const ownerId = group === "api" ? (scope.apis.get(id)?.keyspaceId ?? "*") : id;
  return toTarget(
    target,
    { workspaceId: scope.id, ownerId, recordId: right.recordId ?? "*" },
    name,
  );
}

function permissionOf({ like, oneOf }: NeededRight): string {
  return like ?? oneOf.find((name) => !name.includes(".*.")) ?? oneOf[0] ?? "";
}

function toTarget(
  target: string,
  { ownerId, recordId, workspaceId }: { workspaceId: string; ownerId: string; recordId: string },
  name: string,
): Target {
  const [resource = "", action = ""] = target.split("#");
  const ids: Readonly<Record<string, string>> = { $: ownerId, "@": recordId };
  const path = resource.split("/").map((segment) => ids[segment] ?? segment);
  const urn = { workspaceId, path, action };
  return { ...urn, former: formerNames(urn, name) };
}

/** @param name the name of the action in the other form */
function formerNames({ action, path }: Urn, name: string): readonly string[] {
  return [name, `${action}_${nouns[path.at(-2) ?? ""]}`];
}

/** The URN that grants a right; undefined if there is none. */
export function urnOf(right: NeededRight, scope: UrnScope): string | undefined {
  const target = targetOf(right, scope);
  if (target === undefined) return undefined;
  const { action, path, workspaceId } = target;
  return `unkey:v1:${workspaceId}:projects/*/${path.join("/")}#${action}`;
}

const URN = /^unkey:v1:([^:/#*\s]+):([^:#\s]+)#([^:#/\s]+)$/;

function parseUrn(permission: string): Urn | undefined {
  const [, workspaceId, resource, action] = URN.exec(permission) ?? [];
  if (workspaceId === undefined || resource === undefined || action === undefined) return undefined;
  const segments = resource.split("/");
  const isPattern = segments.every(
    (segment, index) =>
      segment === "*" ||
      (segment === "**" && index === segments.length - 1) ||
      (segment !== "" && !segment.includes("*")),
  );
  const isAction = action === "*" ? resource === "**" : /^(?!_)[^*]+(?<!_)$/.test(action);
  if (!isPattern || !isAction) return undefined;
  const isOfProject = segments[0] === "projects" && segments[1] !== "**";
  const path = segments[0] === "projects" ? segments.slice(isOfProject ? 2 : 1) : segments;
  return { workspaceId, path, action };
}

const parsed = new WeakMap<readonly string[], readonly Urn[]>();

/** The URNs among the permissions of a token, which never change. */
function urnsIn(permissions: readonly string[]): readonly Urn[] {
  let urns = parsed.get(permissions);
  if (urns === undefined) {
    urns = permissions.flatMap((permission) => parseUrn(permission) ?? []);
    parsed.set(permissions, urns);
  }
  return urns;
}

/** Whether permissions grant a right, in either form. Only `*` grants everything. */
export function grants(
  permissions: readonly string[],
  right: NeededRight,
  scope: UrnScope,
): boolean {
  if (permissions.includes("*")) return true;
  if (right.oneOf.some((name) => permissions.includes(name))) return true;
  const urns = urnsIn(permissions);
  if (urns.length === 0) return false;
  const target = targetOf(right, scope);
  return target !== undefined && urns.some((urn) => covers(urn, target));
}

function covers(urn: Urn, target: Target, isSegment = isCovered): boolean {
  const { action, path, workspaceId } = urn;
  if (workspaceId !== target.workspaceId) return false;
  const isNamed = action === "*" || action === target.action || target.former.includes(action);
  if (!isNamed) return false;
  if (isPathCovered(path, target.path, isSegment)) return true;
  // The right to create keys used to be a right on their keyspace.
  return action === "create_key" && isPathCovered(path, target.path.slice(0, -2), isSegment);
}

type Compare = (pattern: string, segment: string) => boolean;

const isCovered: Compare = (pattern, segment) => pattern === "*" || pattern === segment;
/** Whether a pattern covers some of the segments that another pattern covers. */
const isLike: Compare = (pattern, segment) => segment === "*" || isCovered(pattern, segment);

function isPathCovered(
  pattern: readonly string[],
  path: readonly string[],
  isSegment: Compare,
): boolean {
  const isOpen = pattern.at(-1) === "**";
  const segments = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? path.length < segments.length : path.length !== segments.length) return false;
  return segments.every((segment, index) => isSegment(segment, path[index] as string));
}

/**
 * Whether a permission grants a right to some record.
 * @param urn the URN of the right, with `*` for the records
 */
export function isUsedFor(permission: string, right: NeededRight, urn: string): boolean {
  if (right.oneOf.includes(permission)) return true;
  const [given] = urnsIn([permission]);
  const needed = parseUrn(urn);
  if (given === undefined || needed === undefined) return false;
  const [, , , name = ""] = TUPLE.exec(permissionOf(right)) ?? [];
  return covers(given, { ...needed, former: formerNames(needed, name) }, isLike);
}

const names = [
  "latchkey.control",
  "latchkey.watch",
  ...Object.keys(targets).map((target) => target.replace(".", ".*.")),
];

/** Permissions of the service that no operation of latchkey needs. */
const unneeded = [
  "api.update_api",
  "api.read_analytics",
  "ratelimit.list_overrides",
  "ratelimit.read_namespace",
  "ratelimit.update_namespace",
  "ratelimit.delete_namespace",
  "ratelimit.read_analytics",
  "rbac.remove_role_from_key",
];

/** Why a permission of a token grants nothing; undefined if an operation may need it. */
export function permissionProblem(permission: string, workspaceId: string): string | undefined {
  if (permission === "*" || names.includes(permission)) return undefined;
  if (isUrn(permission)) return urnProblem(permission, workspaceId);
  const [, group, , name] = TUPLE.exec(permission) ?? [];
  const isKnown = targets[`${group}.${name}`] !== undefined;
  if (isKnown || unneeded.includes(`${group}.${name}`)) return undefined;
  const meant = closest(permission.replace(/\.[^.]+\./, ".*.").toLowerCase(), names);
  // Users' operations may need any other permission.
  if (meant === undefined && !isOfService(permission)) return undefined;
  const hint = meant === undefined ? "" : `; did you mean ${quoted(meant)}?`;
  return `is no permission of the service, and grants nothing${hint}`;
}

const EXPECTED_URN =
  "is no URN that latchkey understands; expected unkey:v1:<workspace>:<resource>#<action>, with * for whole segments, ** only at the end, and the action * only after **";

function urnProblem(permission: string, workspaceId: string): string | undefined {
  const urn = parseUrn(permission);
  if (urn === undefined) return EXPECTED_URN;
  if (urn.workspaceId !== workspaceId) {
    return `is for the workspace ${quoted(urn.workspaceId)}, and the token belongs to ${workspaceId}`;
  }
  const ids = { workspaceId, ownerId: "*", recordId: "*" };
  const isKnown = Object.entries(targets).some(([permissionName, target]) =>
    covers(urn, toTarget(target, ids, permissionName.split(".")[1] ?? ""), isLike),
  );
  return isKnown ? undefined : "is needed by no built-in operation";
}

/** Whether it is a permission of the service. Only users' operations need others. */
export function isOfService(permission: string): boolean {
  return isUrn(permission) || /^(?:api|identity|ratelimit|rbac)\./.test(permission);
}

export function isUrn(permission: string): boolean {
  return permission.startsWith("unkey:");
}
