import type { Client } from "../../data/client.ts";
import type { KeyReply } from "../../data/listed-key.ts";
import { toRate, toRelative } from "../../data/time.ts";
import { useRoute } from "../../data/use-route.ts";
import { Refusal } from "../refusal.tsx";

/** A rate limit of a key or its identity, and what is left of it. */
interface LimitState {
  readonly name: string;
  readonly limit: number;
  readonly duration: number;
  readonly autoApply: boolean;
  readonly remaining: number;
  readonly reset: number;
}

interface KeyLimitsProps {
  readonly client: Client;
  readonly keyId: string;
  /** The limits are read after each page of keys, and not for a key that was deleted. */
  readonly page: KeyReply;
  readonly now: number;
}

/** The rate limits of a key, with a bar of what is left of each in its window. */
export function KeyLimits({ client, keyId, now, page }: KeyLimitsProps) {
  const route = `/key-limits/${encodeURIComponent(keyId)}`;
  const { answer, lines } = useRoute<{ limits: LimitState[] }>(client, route, page);
  if (lines.length > 0) return <Refusal lines={lines} />;
  return (
    <>
      {answer?.limits.map(({ autoApply, duration, limit, name, remaining, reset }) => (
        <>
          <dt key={name}>
            limit <bdi>{name}</bdi>
          </dt>
          <dd>
            <meter aria-label={`left of ${name}`} max={Math.max(limit, 1)} value={remaining} />{" "}
            {remaining.toLocaleString("en")} of {toRate(limit, duration)} left, window ends{" "}
            {toRelative(reset, now)}
            {!autoApply && ", only if a call names it"}
          </dd>
        </>
      ))}
    </>
  );
}
