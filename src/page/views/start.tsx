import { toCurl } from "../data/curl.ts";
import { usePage } from "../data/page-context.ts";
import { hashOf } from "../data/place.ts";
import { Copy, Fact, Snippet } from "./parts.tsx";
import { Reading } from "./view.tsx";

interface StartProps {
  /** Why the list is empty. */
  readonly title: string;
  /** The API without keys; undefined if there is no API. */
  readonly apiId: string | undefined;
}

/** Explains an empty world: where to call it, with which token, and how. */
export function Start({ apiId, title }: StartProps) {
  const { client, place } = usePage();
  const { token, connection } = client;
  const { baseUrl } = connection;
  const operation = apiId === undefined ? "apis.createApi" : "keys.createKey";
  const body = apiId === undefined ? { name: "My API" } : { apiId, name: "My first key" };
  const code = [
    `import { Unkey } from "@unkey/api";`,
    `const unkey = new Unkey({ rootKey: ${JSON.stringify(token)}, serverURL: ${JSON.stringify(baseUrl)} });`,
    `await unkey.${operation}(${JSON.stringify(body)});`,
  ].join("\n");
  return (
    <Reading>
      <h2>{title}</h2>
      {baseUrl !== undefined && (
        <>
          <p>
            Point your client at this URL, with this token. Each call appears below as it comes, and
            each key in this list.
          </p>
          <dl class="facts">
            <Fact name="URL">
              <code>{baseUrl}</code> <Copy text={baseUrl} label="Copy this URL" />
            </Fact>
            <Fact name="Token">
              <code>{token}</code> <Copy text={token} label="Copy the token" />
            </Fact>
          </dl>
          <Snippet label="From a terminal" text={toCurl(client, `/v2/${operation}`, body)} />
          <Snippet label="From a program" text={code} />
        </>
      )}
      <p>
        {baseUrl === undefined ? "You can" : "Or"}{" "}
        <a href={hashOf(place, { view: "call", operation, apiId })}>call {operation} here</a>. The
        package explains more in its folder <code>docs</code>: <code>integration-tests.md</code> for
        tests that start a process, <code>frontend-tests.md</code> for tests in the browser, and{" "}
        <code>demos.md</code> for a demo with generated customers.
      </p>
    </Reading>
  );
}
