import { useState } from "preact/hooks";
import { pluralize } from "../../../base/wording/text.ts";
import type { TokenNeeds } from "../../../world/journal/needed-permissions.ts";
import type { Client } from "../../data/client.ts";
import { useNeeds } from "../../data/use-needs.ts";
import { Check } from "../filters.tsx";
import { Copy } from "../json.tsx";
import { Refusal } from "../refusal.tsx";

interface NeededPermissionsProps {
  readonly client: Client;
  /** The id of the latest call; undefined if there is none. */
  readonly latest: string | undefined;
}

/** The permissions that tokens need, behind a fold, so that they are read only when they are shown. */
export function NeededPermissions(props: NeededPermissionsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="needs" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Permissions needed</summary>
      {isOpen && <Needs {...props} />}
    </details>
  );
}

/** The least permissions that each token needs for the calls that it made. */
function Needs({ client, latest }: NeededPermissionsProps) {
  const [anyApi, setAnyApi] = useState(false);
  const { lines, tokens } = useNeeds(client, anyApi, latest);
  return (
    <>
      <p class="hint">
        With these permissions and no others, every call of a token passes as it did.
      </p>
      <Check isOn={anyApi} onChange={setAnyApi} title="Names * in place of each API and namespace.">
        for any API
      </Check>
      <Refusal lines={lines} />
      {tokens?.length === 0 && <p class="dim empty">No call has demanded a permission.</p>}
      <ul class="rows">
        {tokens?.map((needs) => (
          <OfToken key={needs.token} of={needs} />
        ))}
      </ul>
    </>
  );
}

function OfToken({ of: { permissions, refused, token, unused } }: { readonly of: TokenNeeds }) {
  return (
    <li class="finding">
      <h3>
        <code>{token}</code> needs {pluralize(permissions.length, "permission")}
      </h3>
      {permissions.length > 0 && (
        <p>
          <code>{permissions.join(" ")}</code>{" "}
          <Copy text={JSON.stringify(permissions)} what="Copy as a list" />
        </p>
      )}
      {unused.length > 0 && (
        <p class="hint">
          It has, and never needed: <code>{unused.join(" ")}</code>
        </p>
      )}
      {refused.map(({ calls, operation, permission }) => (
        <p class="hint" key={operation + permission}>
          It lacks <code>{permission}</code>: {operation} was refused{" "}
          {calls === 1 ? "once" : `${calls} times`}
        </p>
      ))}
    </li>
  );
}
