import * as z from "zod/mini";
import { identify, type IdSource } from "../id-maker.ts";
import { description, type Identified, ownId, roleOrPermissionName } from "../vocabulary.ts";
import { LargeTable } from "../tables/table.ts";
import { NamedSet } from "./named-set.ts";
import type { OnChange } from "./record-set.ts";
import * as f from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";

export const permissionInit = lazily(() =>
  f.objectOf({
    id: z.optional(ownId()),
    name: f.described(
      roleOrPermissionName(),
      "For a person to read. Several permissions may have the same name.",
    ),
    slug: f.optional(
      roleOrPermissionName(),
      "Keys and roles refer to the permission by its slug. Default: the name.",
    ),
    description: description(),
  }),
);
export type PermissionInit = z.infer<ReturnType<typeof permissionInit>>;

/** How keys and roles refer to a permission. */
export function slugOf({ name, slug = name }: PermissionInit): string {
  return slug;
}

export class Permission {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string | undefined;

  constructor(init: Identified<PermissionInit>) {
    this.id = init.id;
    this.name = init.name;
    this.slug = slugOf(init);
    this.description = init.description || undefined;
  }
}

export type Permissions = NamedSet<PermissionInit, Permission, "slug">;

export function createPermissions(source: IdSource, onChange: OnChange<Permission>): Permissions {
  const table = new LargeTable<Permission>({
    id: { isAfter: (a, b) => (a.id ?? "") > (b.id ?? ""), at: (id) => ({ id }) },
    slug: { isAfter: (a, b) => (a.slug ?? "") > (b.slug ?? ""), at: (slug) => ({ slug }) },
  });
  return new NamedSet("slug", (slug) => ({ name: slug, slug }), table, {
    noun: "permission",
    schema: permissionInit,
    complete: (init) => ({ ...init, slug: slugOf(init) }),
    type: Permission,
    build: (init: PermissionInit) => new Permission(identify("perm", init, source)),
    onChange,
  });
}
