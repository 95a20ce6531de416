import { ApiError } from "../contract/errors.ts";
import { versionOf } from "../contract/operation.ts";
import { meantOperation } from "../contract/operation-names.ts";
import { versionAt } from "../contract/version.ts";
import { shorten } from "../schema/wording/shorten.ts";
import { closest } from "../schema/unknown-name.ts";
import type { Operation } from "../operations/operation.ts";
import { isControlPath } from "./exchange.ts";
import type { RequestTarget } from "./request-target.ts";

/** Paths that clients used before operations had names, and the operations that replaced them. */
const olderPaths: readonly (readonly [path: RegExp, shown: string, name: string])[] = [
  [/^\/v1\/keys\/?$/, "/v1/keys", "keys.createKey"],
  [/^\/v1\/keys\/verify\/?$/, "/v1/keys/verify", "keys.verifyKey"],
  [/^\/v1\/apis\/[^/]+\/keys\/?$/, "/v1/apis/{apiId}/keys", "apis.listKeys"],
];

const README =
  'defineOperation adds more, see "Operations that are not served" in latchkey\'s README.';

/**
 * The 404 for a path that leads to no operation. The details are in the message, because clients show
 * nothing else of an error.
 * @param target where the request went, with secrets masked
 */
export function notServed(served: readonly Operation[], { path }: RequestTarget): ApiError {
  if (isControlPath(path)) {
    return new ApiError(
      "NOT_FOUND",
      "control routes are not served here; steer the emulator in process (emulator.reset(), emulator.faults, emulator.clock, emulator.requests)",
    );
  }
  const [, older, replacement] = olderPaths.find(([pattern]) => pattern.test(path)) ?? [];
  // Those of the same version, if there are any.
  const version = versionAt(path);
  const ofVersion = served.filter(({ contract }) => versionOf(contract) === version);
  const related = ofVersion.length === 0 ? served : ofVersion;
  const subject =
    older === undefined
      ? nameOf(path, ofVersion.length > 0)
      : `the older path ${older} (now ${replacement})`;
  const similar =
    replacement === undefined
      ? (findSimilar(related, path) ?? findSimilar(served, path))
      : related.find(({ contract }) => contract.name === replacement);
  const start = `latchkey does not serve ${subject}; `;
  const suggestion =
    similar === undefined
      ? describeAll(related, MAX_SENTENCE - start.length)
      : `the closest that it serves is ${describe(similar)}.`;
  return new ApiError("NOT_FOUND", `${start}${suggestion} ${README}`);
}

const MAX_SHOWN_PATH = 100;

/** `keys.verifyKey`, `keys.verifyKey of v2`, or `the path /v1/keys.verifyKey/`. */
function nameOf(path: string, isVersionServed: boolean): string {
  const [, version, name] = /^\/(v\d{1,3})\/([A-Za-z]+\.[A-Za-z]+)$/.exec(path) ?? [];
  if (name === undefined) return `the path ${shorten(path, MAX_SHOWN_PATH)}`;
  return version === "v1" && isVersionServed ? name : `${name} of ${version}`;
}

/**
 * The operation that the client probably meant: its path differs by a few characters (capitals, a
 * slash, the version), or its name is close to the last segment of the path that was sent.
 */
function findSimilar(served: readonly Operation[], path: string): Operation | undefined {
  const paths = served.map(({ contract }) => contract.path.toLowerCase());
  const closestPath = closest(path.toLowerCase(), paths);
  if (closestPath !== undefined) return served[paths.indexOf(closestPath)];
  const names = served.map(({ contract }) => contract.name);
  const name = meantOperation(lastSegment(path), names);
  // Of operations of several versions with this name, the oldest.
  return served.find(({ contract }) => contract.name === name);
}

function lastSegment(path: string): string {
  return path.split("/").findLast((segment) => segment !== "") ?? "";
}

/** Clients repeat the first sentence in errors of their own, so it is shorter than this. */
const MAX_SENTENCE = 300;

/** `it serves POST /v2/keys.createKey, …, and 9 more.`: as many operations as there is room for. */
function describeAll(served: readonly Operation[], room: number): string {
  let text = "";
  const names: string[] = [];
  for (const operation of served) {
    names.push(describe(operation));
    const more = served.length - names.length;
    const longer = `it serves ${names.join(", ")}${more > 0 ? `, and ${more} more` : ""}.`;
    if (text !== "" && longer.length >= room) break;
    text = longer;
  }
  return text;
}

function describe({ contract }: Operation): string {
  return `${contract.method} ${contract.path}`;
}
