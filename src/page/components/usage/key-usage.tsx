import { useUsage } from "../../data/use-usage.ts";
import { Refusal } from "../refusal.tsx";
import { Verifications } from "./verifications.tsx";

/** The verifications of a key in the last 30 days. */
export function KeyUsage({ keyId }: { readonly keyId: string }) {
  const { lines, usage } = useUsage({ keyId, days: 30 });
  return (
    <section class="usage" aria-label={`Verifications of ${keyId} in the last 30 days`}>
      <Refusal lines={lines} />
      {usage !== undefined && <Verifications of={usage} />}
    </section>
  );
}
