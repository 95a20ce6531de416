import { useState } from "preact/hooks";
import { usePage } from "../data/page-context.ts";
import { useWork } from "../data/use-work.ts";
import { Refusal } from "./parts.tsx";

const [NEW, OLD] = ["A reload starts over.", "A reload loads the records that this browser keeps."];

/** On a static site: buttons to keep the records in the browser, and to delete them. */
export function Keep() {
  const { client, now } = usePage();
  const { kept } = client.connection;
  const [status, setStatus] = useState(kept?.exists ? OLD : NEW);
  const work = useWork();
  if (kept === undefined) return null;
  const keep = async () => {
    kept.keep(await (await client.snapshot()).text(), now);
    setStatus(`The records are kept. ${OLD}`);
  };
  const startOver = () => {
    if (!confirm("Delete the records that this browser keeps, and start over?")) return;
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
