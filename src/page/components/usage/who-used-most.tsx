import { useState } from "preact/hooks";
import { pluralize } from "../../../base/wording/text.ts";
import type { UsageOfGroup } from "../../../state/history/usage.ts";
import { useUsage } from "../../data/use-usage.ts";
import { hashOf, hashOfKey, type ViewState, wholeList } from "../../data/view-state.ts";
import { Choice } from "../filters.tsx";
import { Refusal } from "../refusal.tsx";

const periods = {
  yesterday: { until: "1d ago", days: 1 },
  today: { days: 1 },
  "the last 7 days": { days: 7 },
  "the last 30 days": { days: 30 },
} as const;
type Period = keyof typeof periods;
const period = Object.keys(periods) as Period[];

const groupings = { customers: "externalId", keys: "key" } as const;
type Grouping = keyof typeof groupings;
const grouping = Object.keys(groupings) as Grouping[];

interface WhoUsedMostProps {
  readonly apiId: string;
  readonly viewState: ViewState;
}

/** The customers or keys of an API that were verified most, with links to their keys. */
export function WhoUsedMost({ apiId, viewState }: WhoUsedMostProps) {
  const [when, setWhen] = useState<Period>("yesterday");
  const [who, setWho] = useState<Grouping>("customers");
  const { lines, usage } = useUsage({ apiId, ...periods[when], by: groupings[who] });
  const { groups } = usage ?? {};
  const most = groups?.[0]?.total ?? 1;
  return (
    <section class="who" aria-labelledby="most">
      <header class="filters">
        <h3 id="most">Who used most</h3>
        <Choice label="when" options={period} value={when} onChange={setWhen} />
        <Choice label="who" options={grouping} value={who} onChange={setWho} />
      </header>
      <Refusal lines={lines} />
      {groups?.length === 0 && (
        <p class="dim empty">
          There were no verifications {when === "today" ? when : `in ${when}`}.
        </p>
      )}
      <ol class="rows" aria-labelledby="most">
        {groups?.map((group) => (
          <Group
            key={group.keyId ?? group.externalId}
            apiId={apiId}
            of={group}
            most={most}
            viewState={viewState}
          />
        ))}
      </ol>
    </section>
  );
}

interface GroupProps {
  readonly apiId: string;
  readonly of: UsageOfGroup;
  /** The count of the busiest one. */
  readonly most: number;
  readonly viewState: ViewState;
}

function Group({
  apiId,
  most,
  of: { externalId, keyId, keys, name, outcomes, total },
  viewState,
}: GroupProps) {
  const { VALID: valid = 0 } = outcomes;
  const title = name ?? externalId ?? keyId ?? "keys of no customer";
  const more = keyId === undefined ? pluralize(keys, "key") : externalId;
  const href =
    keyId !== undefined
      ? hashOfKey(keyId, apiId)
      : externalId && hashOf(viewState, { ...wholeList, externalId, view: "keys" });
  return (
    <li>
      <span class="names">
        <bdi class="title">{href === undefined ? title : <a href={href}>{title}</a>}</bdi>
        <bdi class="dim">{more}</bdi>
      </span>
      <meter aria-label="compared with the first" max={most} value={total} />
      <span class="uses">
        {total.toLocaleString("en")}
        {total > valid && <>, {(total - valid).toLocaleString("en")} refused</>}
      </span>
    </li>
  );
}
