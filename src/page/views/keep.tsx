import { useState } from "preact/hooks";
import { usePage } from "../data/page-context.ts";
import { useWork } from "../data/use-work.ts";
import { Refusal } from "./parts.tsx";

const [NEW, OLD] = ["A reload begins anew.", "A reload brings back what this browser keeps."];

/** Keeps the records in the browser, or forgets them, on a page without a server. */
export function Keep() {
  const { client, now } = usePage();
  const { kept } = client.way;
  const [status, setStatus] = useState(kept?.exists ? OLD : NEW);
  const work = useWork();
  if (kept === undefined) return null;
  const keep = async () => {
    kept.keep(await (await client.snapshot()).text(), now);
    setStatus(`The records are kept. ${OLD}`);
  };
  const startOver = () => {
    if (!confirm("Forget what this browser keeps, and begin anew?")) return;
    kept.forget();
    location.reload();
  };
  return (
    <>
      <div class="acts column">
        <button type="button" onClick={() => void work.run(keep)}>
          Keep
        </button>
        <button type="button" class="danger" onClick={startOver}>
          Start over
        </button>
      </div>
      <p role="status" class="soft">
        {status}
      </p>
      <Refusal lines={work.lines} />
    </>
  );
}
