import { pluralize } from "../base/wording/pluralize.ts";
import type { RunningServer } from "../http/serve.ts";

/** Like `9 calls came: 7 × 200, 2 × 400`; undefined if none came. */
export function callsLine(servers: readonly Pick<RunningServer, "outcomes">[]): string | undefined {
  const counts = new Map<string, number>();
  for (const [outcome, count] of servers.flatMap(({ outcomes }) => [...outcomes]))
    counts.set(String(outcome), (counts.get(String(outcome)) ?? 0) + count);
  if (counts.size === 0) return undefined;
  const sorted = [...counts].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  const texts = sorted.map(([outcome, count]) => `${count} × ${outcome}`);
  return `${pluralize(total, "call")} came: ${texts.join(", ")}`;
}

/** What to say if no call came. With `--as`, some were expected for these hosts. */
export function noCallLine(hosts: readonly string[] | undefined): string {
  return hosts === undefined
    ? `no call came: the program does not call LATCHKEY_URL, or it does not get that variable (${DROPPED}), so its calls may have gone to the real service; see docs/troubleshooting.md`
    : `no call came for ${hosts.join(" or ")}: the program calls no such host, or it does not get the variables that redirect it (${DROPPED}), or it takes no proxy from them, so its calls may have gone to the real service; see docs/unchanged-programs.md`;
}

const DROPPED = "Turborepo's strict mode, tox, Bazel and sudo drop variables";
