import { useEffect, useState } from "preact/hooks";
import type { Client } from "./client.ts";
import { linesOf } from "./refused.ts";
import type { Document } from "./schema.ts";

/** Loads an OpenAPI document from a control route. */
export function useDocument(client: Client, path: string) {
  const [read, setRead] = useState<{ document?: Document; lines: readonly string[] }>({
    lines: [],
  });
  useEffect(() => {
    client.control<Document>(`GET ${path}`).then(
      (document) => setRead({ document, lines: [] }),
      (error: unknown) => setRead({ lines: linesOf(error) }),
    );
  }, [client, path]);
  return read;
}

/** The control route that describes the operations of v2. */
export const OPERATIONS = "/operations.json";

/**
 * The names of all operations, like `keys.createKey`. Undefined until they are loaded; none if they
 * cannot be.
 */
export function useOperationNames(client: Client): readonly string[] | undefined {
  const [names, setNames] = useState<readonly string[]>();
  useEffect(() => {
    const paths = [OPERATIONS, `${OPERATIONS}?version=v1`];
    Promise.all(paths.map((path) => client.control<Document>(`GET ${path}`))).then(
      (documents) => setNames([...new Set(documents.flatMap(namesIn))]),
      // Without them, a name can be typed.
      () => setNames([]),
    );
  }, [client]);
  return names;
}

function namesIn({ paths }: Document): readonly string[] {
  return Object.keys(paths).map((path) => path.split("/").at(-1) ?? path);
}
