import { pluralize } from "../base/wording/pluralize.ts";
import type { TokenNeeds } from "../journal/needed-permissions.ts";

/** The permissions that a run needed, in lines: as a list to copy, and as a line of a fixture. */
export function needsReport(needs: readonly TokenNeeds[]): readonly string[] {
  if (needs.length === 0) return ["permissions: no call demanded any"];
  return needs.flatMap(({ permissions, refused, token, unused }) => [
    `permissions: ${token} needs ${permissions.length === 0 ? "none" : pluralize(permissions.length, "permission")}`,
    ...permissions.map((name) => `  ${name}`),
    ...(permissions.length === 0
      ? []
      : [`  in a fixture: { token: …, permissions: ${inYaml(permissions)} }`]),
    ...(unused.length === 0 ? [] : [`  ${unusedLine(unused)}`]),
    ...refused.map(
      ({ calls, operation, permission }) =>
        `  it lacks ${permission}: ${operation} was refused ${calls === 1 ? "once" : `${calls} times`}`,
    ),
  ]);
}

function unusedLine(unused: readonly string[]): string {
  return unused.includes("*")
    ? "it has *, which is more than it needs"
    : `it has, and never needed: ${unused.join(", ")}`;
}

/** Quotes each name, because YAML reads `*` as an alias. */
function inYaml(names: readonly string[]): string {
  return `[${names.map((name) => JSON.stringify(name)).join(", ")}]`;
}
