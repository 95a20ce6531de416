import type { toPermissionRecord, toRoleRecord } from "../../../service/operations/v2/roles.ts";
import type { Asked, OnAsk } from "../asked.tsx";
import type { Client } from "../../data/client.ts";
import { Json } from "../json.tsx";
import { useRights } from "../../data/page-context.ts";
import { RecordPanel } from "../record-panel.tsx";
import { Row } from "../row.tsx";

type Role = ReturnType<typeof toRoleRecord>;
type Permission = ReturnType<typeof toPermissionRecord>;

interface RolesProps {
  readonly client: Client;
  readonly revision: number;
}

/** The roles and the permissions of the workspace. */
export function Roles(props: RolesProps) {
  return (
    <div class="panels">
      <RecordPanel<Role>
        {...props}
        name="roles"
        title="Roles"
        hint="part of a name or description"
        operation="permissions.listRoles"
        noun={["role", "roles"]}
        create={{ operation: "permissions.createRole", title: "Create a role", submit: "Create" }}
      >
        {(role, onAsk) => (
          <Row key={role.id} summary={<RoleSummary of={role} />}>
            {() => <Details of={role} deletion={toDeleteRole(role)} onAsk={onAsk} />}
          </Row>
        )}
      </RecordPanel>
      <RecordPanel<Permission>
        {...props}
        name="permissions"
        title="Permissions"
        hint="part of a slug, name or description"
        operation="permissions.listPermissions"
        noun={["permission", "permissions"]}
        create={{
          operation: "permissions.createPermission",
          title: "Create a permission",
          submit: "Create",
        }}
      >
        {(permission, onAsk) => (
          <Row key={permission.id} summary={<PermissionSummary of={permission} />}>
            {() => (
              <Details of={permission} deletion={toDeletePermission(permission)} onAsk={onAsk} />
            )}
          </Row>
        )}
      </RecordPanel>
    </div>
  );
}

function RoleSummary({ of: { description, name, permissions = [] } }: { readonly of: Role }) {
  return (
    <>
      <span class="names">
        <bdi class="title">{name}</bdi>
        {description !== undefined && <bdi class="dim">{description}</bdi>}
      </span>
      <span class="badges">
        {permissions.map(({ slug }) => (
          <bdi key={slug} class="badge calm">
            {slug}
          </bdi>
        ))}
      </span>
    </>
  );
}

function PermissionSummary({ of: { description, name, slug } }: { readonly of: Permission }) {
  return (
    <span class="names">
      <bdi class="title">{slug}</bdi>
      {name !== slug && <bdi>{name}</bdi>}
      {description !== undefined && <bdi class="dim">{description}</bdi>}
    </span>
  );
}

interface DetailsProps {
  readonly of: Role | Permission;
  readonly deletion: Asked;
  readonly onAsk: OnAsk;
}

function Details({ deletion, of, onAsk }: DetailsProps) {
  const may = useRights();
  return (
    <>
      {may(deletion.operation) && (
        <div class="buttons actions">
          <button type="button" class="danger" onClick={() => onAsk(deletion)}>
            Delete
          </button>
        </div>
      )}
      <Json value={of} label={of.id} />
    </>
  );
}

function toDeleteRole({ id, name, permissions = [] }: Role): Asked {
  return {
    operation: "permissions.deleteRole",
    title: `Delete ${name}?`,
    submit: "Delete",
    fixed: { role: id },
    children: (
      <p>
        The role <code>{id}</code> is deleted, and removed from all keys that have it.
        {permissions.length > 0 && " Its permissions stay, but these keys lose what only it gave."}
      </p>
    ),
  };
}

function toDeletePermission({ id, slug }: Permission): Asked {
  return {
    operation: "permissions.deletePermission",
    title: `Delete ${slug}?`,
    submit: "Delete",
    fixed: { permission: id },
    children: (
      <p>
        The permission <code>{id}</code> is deleted, and removed from all keys and roles that have
        it.
      </p>
    ),
  };
}
