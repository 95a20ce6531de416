import { useLayoutEffect, useRef } from "preact/hooks";
import type { RecordedRequest } from "../../world/journal/recorded-request.ts";
import { callName, describe } from "../data/call-words.ts";
import { gapsIn, toCurl, toQuery, withGaps } from "../data/curl.ts";
import { summaryOf } from "../data/fault-words.ts";
import { usePage } from "../data/page-context.ts";
import { hashOf } from "../data/place.ts";
import { toClock, toUtc } from "../data/time.ts";
import { tokenWords } from "../data/token.ts";
import { Copy, Json } from "./parts.tsx";

/** A call in a line, which opens to the request, the reply and their explanation. */
export function Call({ of: request }: { readonly of: RecordedRequest }) {
  const { place } = usePage();
  const { duration, faults, requestId, status, time, version } = request;
  const { code, kind, subject, words } = describe(request);
  const isOpen = place.request === requestId;
  const line = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    if (isOpen) line.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  return (
    <li ref={line} class={isOpen ? "open" : ""}>
      <a
        class="call"
        href={hashOf(place, { request: isOpen ? undefined : requestId })}
        aria-expanded={isOpen}
      >
        <time class="mono">{toClock(time)}</time>
        <span class="name may-cut" title={subject}>
          {callName(request)}
          {version === "v1" && <span class="soft"> v1</span>}
          {subject !== undefined && (
            <>
              <span class="soft"> · </span>
              <bdi>{subject}</bdi>
            </>
          )}
        </span>
        <span class={`words ${kind}`}>
          {code !== undefined && <b>{code}</b>} {words}
          {faults.length > 0 && <span class="badge warn">fault</span>}
        </span>
        <span class="soft number">
          {status ?? "–"} · {duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms
        </span>
      </a>
      {isOpen && <Details of={request} />}
    </li>
  );
}

function Details({ of: request }: { readonly of: RecordedRequest }) {
  const { client, place, world } = usePage();
  const { answer, faults, hint, method, path, requestId, shortened, status, time, token } = request;
  const { keyId, words } = describe(request);
  const text = withGaps(request.input) ?? "{}";
  const isBody = method === "POST";
  const curl = toCurl(client, isBody ? path : path + toQuery(text), isBody ? text : undefined);
  const gaps = gapsIn(text);
  const hitBy = faults.map((id) => world.faults.find((fault) => fault.id === id));
  return (
    <div class="details">
      <p class="soft">
        <code>
          {method} {path}
        </code>{" "}
        at {toUtc(time)} UTC{token !== undefined && ` by ${tokenWords(token)}`},{" "}
        <code>{requestId}</code>
      </p>
      {hint !== undefined && hint !== words && <p class="advice">{hint}</p>}
      {hitBy.map((fault, index) => (
        <p key={faults[index]} class="advice">
          A fault hit this call
          {fault === undefined ? ". It was removed since." : `: ${summaryOf(fault)}`}
        </p>
      ))}
      <p class="acts">
        {keyId !== undefined && (
          <a href={hashOf(place, { view: "keys", open: keyId })}>Show the key</a>
        )}
        <Copy text={curl} what="Copy as curl" />
        <span class="soft">
          Tokens and values of keys are masked.
          {curl !== undefined && " The command sends the token of this page."}
          {curl !== undefined && gaps.length > 0 && <b> Fill in {gaps.join(", ")} in it.</b>}
        </span>
      </p>
      <div class="pair">
        <Json label="Request" value={request.input} isShort={shortened?.includes("input")} />
        <Json
          label="Reply"
          value={status === undefined ? undefined : answer}
          isShort={shortened?.includes("answer")}
        />
      </div>
    </div>
  );
}
