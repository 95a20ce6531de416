import { closest, quoted } from "../base/wording/text.ts";
import { MIN_SECRET_LENGTH } from "../base/wording/mask.ts";
import { inSecondsText, isInSeconds } from "../base/wording/seconds.ts";
import { permissionProblem } from "../api/urn.ts";
import { slugOf } from "../state/records/permissions.ts";
import { byWorkspace, type CheckedFixtures, linesAt, type Part } from "./part.ts";

/**
 * A line for each probable mistake in valid fixtures: a misspelt name, a permission of a token that grants
 * nothing, a time in seconds, and a secret that is too short to be masked. latchkey creates an
 * identity, a role or a permission for a misspelt name, and a key with it may do less than its author thinks.
 */
export function likelyMistakes(fixtures: CheckedFixtures, now = Date.now()): string[] {
  const { defaultId, parts } = fixtures;
  const misspeltNames = [...byWorkspace(fixtures).values()].flatMap((ofWorkspace) => {
    const identities = ofWorkspace.flatMap((part) => part.identities);
    const roles = ofWorkspace.flatMap((part) => part.roles);
    const permissions = ofWorkspace.flatMap((part) => part.permissions);
    const externalIds = identities.map(({ externalId }) => externalId);
    return [
      ...misspelt(ofWorkspace, "externalId", new Set(externalIds)),
      ...misspelt(ofWorkspace, "roles", new Set(roles.map(({ name }) => name))),
      ...misspelt(
        ofWorkspace,
        "permissions",
        new Set([...permissions.map(slugOf), ...roles.flatMap((role) => role.permissions ?? [])]),
      ),
    ];
  });
  return [
    ...misspeltNames,
    ...parts.flatMap((part) => uselessPermissions(part, part.workspace.id ?? defaultId)),
    ...parts.flatMap((part) => timesInSeconds(part, now)),
    ...parts.flatMap(shortSecrets),
  ];
}

/**
 * A line for the first `expires` of a fixture that is in seconds, with the number of the others. A
 * snapshot may contain one that a client sent.
 */
export function timesInSeconds(part: Part, now: number): string[] {
  if (part.snapshot !== undefined) return [];
  const lines = (["tokens", "keys"] as const).flatMap((member) =>
    part[member].flatMap(({ expires }, index) =>
      isInSeconds(expires, now)
        ? linesAt(part, [member, index], [{ path: [], expected: inSecondsText(expires) }])
        : [],
    ),
  );
  return counted(lines);
}

/** The first line, with the number of the others: a fixture can have thousands of the same mistake. */
function counted([line, ...more]: readonly string[]): string[] {
  if (line === undefined) return [];
  return [more.length === 0 ? line : `${line} (and ${more.length} more)`];
}

/** A line for each permission of a token that grants nothing. */
function uselessPermissions(part: Part, workspaceId: string): string[] {
  return part.tokens.flatMap(({ permissions = [] }, tokenIndex) =>
    permissions.flatMap((name, index) => {
      const problem = permissionProblem(name, workspaceId);
      if (problem === undefined) return [];
      const place = ["tokens", tokenIndex, "permissions", index];
      return linesAt(part, place, [{ path: [], expected: `${quoted(name)} ${problem}` }]);
    }),
  );
}

function shortSecrets(part: Part): string[] {
  const linesOf = (list: "tokens" | "keys", member: string, secrets: readonly string[]) =>
    counted(
      secrets.flatMap(({ length }, index) => {
        if (length === 0 || length >= MIN_SECRET_LENGTH) return [];
        const expected = `has fewer than ${MIN_SECRET_LENGTH} characters, so the log and the journal show it: only longer ones are masked`;
        return linesAt(part, [list, index, member], [{ path: [], expected }]);
      }),
    );
  const tokens = part.tokens.map(({ token }) => token);
  const keys = part.keys.map(({ key = "" }) => key);
  return [...linesOf("tokens", "token", tokens), ...linesOf("keys", "key", keys)];
}

const made = {
  externalId: "belongs to no listed identity, so one is created",
  roles: "is no listed role, so it is created without permissions",
  permissions: "is no permission of a role or a list, so it is created",
};

/** A line for each name of keys that is not listed, but similar to a listed one. */
function misspelt(
  parts: readonly Part[],
  member: keyof typeof made,
  listed: ReadonlySet<string>,
): string[] {
  const known = [...listed];
  const seen = new Set(listed);
  return parts
    .filter(({ snapshot }) => snapshot === undefined)
    .flatMap((part) =>
      part.keys.flatMap((key, keyIndex) =>
        [key[member] ?? []].flat().flatMap((name, index) => {
          if (seen.has(name)) return [];
          seen.add(name);
          const meant = closest(
            name,
            known.filter((other) => !isNumberedLike(name, other)),
          );
          if (meant === undefined) return [];
          const [one, other] = [name, meant].map((text) => quoted(text));
          const expected = `${one} ${made[member]}; did you mean ${other}?`;
          const path = ["keys", keyIndex, member, ...(member === "externalId" ? [] : [index])];
          return linesAt(part, path, [{ path: [], expected }]);
        }),
      ),
    );
}

/** `team_1` and `team_2` are similar, but neither is a mistake. */
function isNumberedLike(one: string, other: string): boolean {
  return one.replaceAll(/\d/g, "") === other.replaceAll(/\d/g, "");
}
