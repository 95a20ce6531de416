import type { Permission } from "../../state/records/permissions.ts";
import type { Role } from "../../state/records/roles.ts";
import { useLive, usePage } from "../data/page-context.ts";
import { Reading, View } from "./view.tsx";

/** Roles and permissions, to read. */
export function Roles() {
  const { place } = usePage();
  const search = place.search === "" ? "" : `&${new URLSearchParams({ search: place.search })}`;
  const roles = useLive<{ roles: readonly Role[] }>(`/roles?limit=1000${search}`);
  const permissions = useLive<{ permissions: readonly Permission[] }>(
    `/permissions?limit=1000${search}`,
  );
  const none = (noun: string) => (
    <p class="soft">{place.search === "" ? `No ${noun} yet.` : `No ${noun} match.`}</p>
  );
  return (
    <View
      title="Roles and permissions"
      lines={[...new Set([...roles.lines, ...permissions.lines])]}
      search={["roles and permissions", "Name, id"]}
      link="permissions.createRole"
    >
      <Reading>
        <h2>Roles</h2>
        {roles.answer?.roles.length === 0 && none("roles")}
        <ul class="cards">
          {roles.answer?.roles.map(({ description, id, name, permissions: slugs }) => (
            <li key={id}>
              <span>
                <b>
                  <bdi>{name}</bdi>
                </b>
                {description !== undefined && <div class="soft">{description}</div>}
              </span>
              <span class="tags">
                {slugs?.map((slug) => (
                  <code key={slug}>{slug}</code>
                ))}
                {(slugs ?? []).length === 0 && <span class="soft">no permissions</span>}
              </span>
            </li>
          ))}
        </ul>
        <h2>Permissions</h2>
        {permissions.answer?.permissions.length === 0 && none("permissions")}
        <ul class="cards">
          {permissions.answer?.permissions.map(({ description, id, name, slug }) => (
            <li key={id}>
              <code>{slug}</code>
              <span class="soft">{description ?? (name === slug ? "" : name)}</span>
            </li>
          ))}
        </ul>
      </Reading>
    </View>
  );
}
