import { ApiError } from "../contract/errors.ts";
import { versionOf } from "../contract/operation.ts";
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
  const suggestion =
    similar === undefined
      ? `it serves ${describeAll(related)}`
      : `the closest that it serves is ${describe(similar)}`;
  return new ApiError("NOT_FOUND", `latchkey does not serve ${subject}; ${suggestion}. ${README}`);
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
  return (
    closestBy(served, path, ({ contract }) => contract.path) ??
    closestBy(served, lastSegment(path), ({ contract }) => contract.name)
  );
}

function closestBy(
  served: readonly Operation[],
  sent: string,
  labelOf: (operation: Operation) => string,
): Operation | undefined {
  // Of operations with the same label, the first one counts: of those of all versions, the oldest.
  const labelled = served.map(
    (operation) => [labelOf(operation).toLowerCase(), operation] as const,
  );
  const byLabel = new Map(labelled.toReversed());
  const best = closest(
    sent.toLowerCase(),
    labelled.map(([label]) => label),
  );
  return best === undefined ? undefined : byLabel.get(best);
}

function lastSegment(path: string): string {
  return path.split("/").findLast((segment) => segment !== "") ?? "";
}

const MAX_SHOWN = 8;

function describeAll(served: readonly Operation[]): string {
  const shown = served.slice(0, MAX_SHOWN).map(describe).join(", ");
  const more = served.length - MAX_SHOWN;
  return more > 0 ? `${shown}, and ${more} more` : shown;
}

function describe({ contract }: Operation): string {
  return `${contract.method} ${contract.path}`;
}
