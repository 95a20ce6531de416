import { useEffect, useState } from "preact/hooks";
import type { Client } from "./client.ts";
import { linesOf } from "./refused.ts";
import type { Document } from "./schema.ts";

/** Loads the OpenAPI document of the operations or of the control routes. */
export function useDocument(client: Client, path: "/operations.json" | "/openapi.json") {
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

/** The names of the operations in a document, like `keys.createKey`. */
export function operationNames({ paths }: Document): readonly string[] {
  return Object.keys(paths).map((path) => path.split("/").at(-1) ?? path);
}
