import { useState } from "preact/hooks";
import type { Client } from "../../data/client.ts";
import { useWork } from "../../data/use-work.ts";
import { Copy } from "../json.tsx";
import { Refusal } from "../refusal.tsx";
import type { OnTask } from "./key-task.ts";

interface KeyValueProps {
  readonly client: Client;
  readonly keyId: string;
  readonly onTask: OnTask;
}

/** The value of a recoverable key, which is read only when somebody asks for it. */
export function KeyValue({ client, keyId, onTask }: KeyValueProps) {
  const [value, setValue] = useState<string>();
  const work = useWork();
  const show = () => work.run(async () => setValue(await client.valueOf(keyId)));
  return (
    <div class="value-of-key">
      {value === undefined ? (
        <button type="button" class="quiet" disabled={work.isBusy} onClick={() => void show()}>
          Show its value
        </button>
      ) : (
        <p class="made">
          <code>{value}</code> <Copy text={value} />
          <button
            type="button"
            class="quiet"
            onClick={() => onTask({ kind: "verify" }, { key: value })}
          >
            Verify it
          </button>
        </p>
      )}
      <Refusal lines={work.lines} />
    </div>
  );
}
