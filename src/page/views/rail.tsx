import { usePage } from "../data/page-context.ts";
import { hashOf, views, type View } from "../data/place.ts";
import { Name } from "./parts.tsx";

/** The ways to all views. In a narrow window it is a menu. */
export function Rail({ onChosen }: { readonly onChosen: () => void }) {
  const { place, world } = usePage();
  const { apis } = world.workspace;
  const current = place.apiId ?? apis[0]?.id;
  const link = (view: View, count?: number) => (
    <a
      href={hashOf(place, { view, open: undefined })}
      aria-current={place.view === view ? "page" : undefined}
    >
      {views[view]} {count !== undefined && count > 0 && <span class="count">{count}</span>}
    </a>
  );
  return (
    <nav class="rail" aria-label="Views" onClick={onChosen}>
      <h2>Keys</h2>
      {apis.map(({ id, keys, name }) => (
        <a
          key={id}
          href={hashOf(place, { view: "keys", apiId: id, open: undefined })}
          aria-current={place.view === "keys" && id === current ? "page" : undefined}
        >
          <Name of={name ?? id} /> <span class="count">{keys.toLocaleString("en")}</span>
        </a>
      ))}
      {apis.length === 0 && link("keys")}
      <h2>Workspace</h2>
      {link("customers")}
      {link("limits")}
      {link("roles")}
      <h2>Your client</h2>
      {link("findings", world.findings.length)}
      {link("call")}
    </nav>
  );
}
