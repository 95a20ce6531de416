import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Hint } from "./hint.tsx";
import type { Draft } from "../data/schema.ts";

interface RowsProps {
  readonly name: string;
  readonly description: string | undefined;
  readonly rows: readonly Draft[];
  readonly onRows: (rows: readonly Draft[]) => void;
  /** Renders the fields of a row. */
  readonly children: (row: Draft, index: number, onRow: (row: Draft) => void) => ComponentChildren;
}

/** A list of objects in a form: a group of fields for each, which can be added and removed. */
export function Rows({ children, description, name, onRows, rows }: RowsProps) {
  const group = useRef<HTMLFieldSetElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const isAdding = useRef(false);
  useLayoutEffect(() => {
    if (!isAdding.current) return;
    isAdding.current = false;
    group.current
      ?.querySelector<HTMLElement>(":scope > fieldset:last-of-type :is(input, select)")
      ?.focus();
  }, [rows]);
  return (
    <fieldset class="wide" ref={group}>
      <legend>{name}</legend>
      <Hint text={description} />
      {rows.map((row, index) => (
        <fieldset key={index} class="wide">
          <legend>{`${name} ${index + 1}`}</legend>
          {children(row, index, (changed) => onRows(rows.with(index, changed)))}
          <button
            type="button"
            aria-label={`Remove ${name} ${index + 1}`}
            onClick={() => {
              // This button disappears with its row, so the focus needs another place.
              add.current?.focus();
              onRows(rows.toSpliced(index, 1));
            }}
          >
            Remove
          </button>
        </fieldset>
      ))}
      <button
        type="button"
        ref={add}
        onClick={() => {
          isAdding.current = true;
          onRows([...rows, {}]);
        }}
      >
        Add to {name}
      </button>
    </fieldset>
  );
}
