import { useEffect, useState } from "preact/hooks";
import type { VersionName } from "../../contract/version.ts";
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

/** The control route that describes the operations of a version of the interface. */
export function operationsAt(version: VersionName): string {
  return `/operations.json?version=${version}`;
}

/**
 * The names of the operations of these versions, like `keys.createKey`. Undefined until they are loaded;
 * none if they cannot be.
 */
export function useOperationNames(
  client: Client,
  versions: readonly VersionName[],
): readonly string[] | undefined {
  const [names, setNames] = useState<readonly string[]>();
  useEffect(() => {
    const load = (version: VersionName) => client.control<Document>(`GET ${operationsAt(version)}`);
    Promise.all(versions.map(load)).then(
      (documents) => setNames([...new Set(documents.flatMap(namesIn))]),
      // Without them, a name can be typed.
      () => setNames([]),
    );
  }, [client, versions.join()]);
  return names;
}

function namesIn({ paths }: Document): readonly string[] {
  return Object.keys(paths).map((path) => path.split("/").at(-1) ?? path);
}
