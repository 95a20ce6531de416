import { useId, useState } from "preact/hooks";
import type { KeyRecord } from "../contract/key-record.ts";
import { Badges } from "./badges.tsx";
import { Json } from "./json.tsx";
import { hashOf, type Place } from "./place.ts";
import { toRelative, toUtc } from "./time.ts";

interface KeyRowProps {
  readonly of: KeyRecord;
  readonly now: number;
  readonly place: Place;
}

/** A key at a glance, and all of it when it is opened. */
export function KeyRow({ now, of: key, place }: KeyRowProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const owner = key.identity?.externalId ?? key.ownerId;
  return (
    <li class={key.enabled ? undefined : "off"}>
      <button
        type="button"
        class="row"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <span class="names">
          <bdi class="title">{key.name ?? "(no name)"}</bdi>
          <code>{key.start}…</code>
        </span>
        <bdi class="owner" title={owner}>
          {owner}
        </bdi>
        <Badges of={key} now={now} />
        {key.remaining !== undefined && (
          <span class="uses">{key.remaining.toLocaleString("en")} left</span>
        )}
        <time title={`${toUtc(key.createdAt)} UTC`}>{toRelative(key.createdAt, now)}</time>
      </button>
      <div id={id} hidden={!isOpen}>
        {isOpen && (
          <>
            <Json value={key} label={key.id} />
            {key.identity !== undefined && place.externalId === "" && (
              <p class="more">
                <a href={hashOf(place, { externalId: key.identity.externalId })}>
                  All keys of <bdi>{key.identity.externalId}</bdi> here
                </a>
              </p>
            )}
          </>
        )}
      </div>
    </li>
  );
}
