import { useState } from "preact/hooks";
import { useUsage } from "../../data/use-usage.ts";
import type { ApiState } from "../../../control/route-schemas.ts";
import type { ViewState } from "../../data/view-state.ts";
import { Choice } from "../filters.tsx";
import { Refusal } from "../refusal.tsx";
import { Verifications } from "./verifications.tsx";
import { WhoUsedMost } from "./who-used-most.tsx";

const DAYS = [7, 30, 90];

interface ApiUsageProps {
  readonly api: ApiState;
  readonly viewState: ViewState;
}

/** How often the keys of an API were verified, and by whom. */
export function ApiUsage({ api: { id, name = id }, viewState }: ApiUsageProps) {
  const [days, setDays] = useState(30);
  const { lines, usage } = useUsage({ apiId: id, days });
  return (
    <section class="panel usage" aria-labelledby="usage" tabIndex={-1}>
      <header>
        <h2 id="usage">
          Usage of <bdi>{name}</bdi>
        </h2>
        <Choice label="days" options={DAYS} value={days} onChange={setDays} />
      </header>
      <Refusal lines={lines} />
      {usage !== undefined && <Verifications of={usage} />}
      <WhoUsedMost apiId={id} viewState={viewState} />
    </section>
  );
}
