import { useId } from "preact/hooks";
import { Hint } from "./hint.tsx";
import { Spans, Toggles } from "./field-buttons.tsx";
import { Rows } from "./rows.tsx";
import {
  isRows,
  kindOf,
  resolve,
  type Document,
  type Draft,
  type Drafted,
  type Kind,
  type Schema,
} from "../data/schema.ts";

/** Values to choose from, by member, where the schema allows any text. */
export type Choices = Readonly<Record<string, readonly string[]>>;

interface FieldsProps {
  readonly document: Document;
  readonly schema: Schema;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  readonly choices?: Choices;
  /** Paths of members that were refused. */
  readonly wrong: ReadonlySet<string>;
  /** The path of the member whose members these are, like `credits.refill`; undefined at the top. */
  readonly group?: string;
}

/** A field for each member of a body, derived from the schema in the emulator's OpenAPI document. */
export function SchemaFields(props: FieldsProps) {
  const { choices = {}, document, draft, group, onDraft, schema, wrong } = props;
  const { properties = {}, required = [] } = resolve(document, schema);
  return (
    <>
      {Object.entries(properties).map(([name, member]) => {
        const resolved = resolve(document, member);
        const path = group === undefined ? name : `${group}.${name}`;
        const onChange = (value: Drafted) => onDraft({ ...draft, [name]: value });
        const drafted = draft[name];
        const kind = kindOf(name, resolved);
        const inner = { document, wrong };
        if (kind === "object") {
          return (
            <fieldset key={name} class="wide">
              <legend>{name}</legend>
              <Hint text={resolved.description} />
              <SchemaFields
                {...inner}
                schema={resolved}
                draft={typeof drafted === "object" && !isRows(drafted) ? drafted : {}}
                onDraft={onChange}
                group={path}
              />
              {resolved.isNullable && (
                <button type="button" onClick={() => onChange(undefined)}>
                  Clear {name}
                </button>
              )}
            </fieldset>
          );
        }
        if (kind === "rows") {
          return (
            <Rows
              key={name}
              name={name}
              description={resolved.description}
              rows={isRows(drafted) ? drafted : []}
              onRows={onChange}
            >
              {(row, index, onRow) => (
                <SchemaFields
                  {...inner}
                  schema={resolved.items ?? {}}
                  draft={row}
                  onDraft={onRow}
                  group={`${path}.${index}`}
                />
              )}
            </Rows>
          );
        }
        return (
          <Field
            key={name}
            name={name}
            schema={resolved}
            need={toNeed(required.includes(name), group)}
            isWrong={wrong.has(path)}
            value={typeof drafted === "string" ? drafted : ""}
            onChange={onChange}
            choices={choices[name]}
          />
        );
      })}
    </>
  );
}

/** The member of an object is needed only if the object is filled in, unlike that of a row. */
function toNeed(isRequired: boolean, group: string | undefined): string {
  if (!isRequired) return "";
  const owner = group?.split(".").at(-1) ?? "";
  return /^\d*$/.test(owner) ? "required" : `required with ${owner}`;
}

interface FieldProps {
  readonly name: string;
  readonly schema: Schema;
  /** Says when the field is required; empty if it is optional. */
  readonly need: string;
  readonly isWrong: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly choices: readonly string[] | undefined;
}

function Field({ choices, isWrong, name, need, onChange, schema, value }: FieldProps) {
  const id = useId();
  const kind = kindOf(name, schema);
  const flags = schema.type === "boolean" ? ["true", "false"] : [];
  const options = choices ?? schema.enum ?? schema.examples ?? flags;
  const isLong = kind === "json" && schema.type === "object";
  const attributes = {
    id,
    value,
    "aria-describedby": `${id}-hint`,
    "aria-invalid": isWrong,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange(currentTarget.value),
  };
  return (
    <div class={isLong ? "field wide" : "field"}>
      <label for={id}>
        {name}
        {need !== "" && <span class="dim"> {need}</span>}
      </label>
      {kind === "duration" ? (
        <select {...attributes}>
          {(need !== "required" || value === "") && <option value=""></option>}
          {durations.map(([label, time]) => (
            <option key={time} value={time}>
              {label}
            </option>
          ))}
        </select>
      ) : kind === "list" && toggled.has(name) ? (
        <>
          <Input attributes={attributes} kind={kind} />
          <Toggles names={options} value={value} onChange={onChange} />
        </>
      ) : options.length > 0 ? (
        <select {...attributes}>
          {(need !== "required" || value === "") && <option value=""></option>}
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : isLong ? (
        <textarea {...attributes} rows={2} spellcheck={false} placeholder="{ }" />
      ) : kind === "time" ? (
        <>
          <Input attributes={attributes} kind={kind} />
          <Spans onChange={onChange} />
        </>
      ) : (
        <Input attributes={attributes} kind={kind} />
      )}
      <Hint id={`${id}-hint`} text={hintOf(kind, schema)} />
    </div>
  );
}

/** Lists of names that exist already, and of names that do not yet. */
const toggled = new Set(["roles", "permissions"]);

/** How long an old key goes on, with its milliseconds. */
const durations: readonly (readonly [label: string, time: number])[] = [
  ["at once", 0],
  ["in an hour", 3_600_000],
  ["in a day", 86_400_000],
  ["in a week", 604_800_000],
];

interface InputProps {
  readonly attributes: object;
  readonly kind: Kind;
}

function Input({ attributes, kind }: InputProps) {
  if (kind === "time") return <input {...attributes} type="datetime-local" step={1} />;
  const inputMode = kind === "number" ? "decimal" : "text";
  return (
    <input
      {...attributes}
      type="text"
      inputMode={inputMode}
      autocomplete="off"
      spellcheck={false}
    />
  );
}

/** The description of a member, adapted to the field: a time is not entered in milliseconds here. */
function hintOf(kind: Kind, { description = "" }: Schema): string {
  const meaning = kind === "time" ? description.replace(" Unix milliseconds.", "") : description;
  return `${meaning} ${howTo[kind] ?? ""}`;
}

/** How to fill in a kind of field, where that is not obvious. */
const howTo: Partial<Record<Kind, string>> = {
  list: "With commas between.",
  json: "As JSON.",
  time: "Here in UTC.",
};
