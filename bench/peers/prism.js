// Prism: answers from an OpenAPI document and has no state. It gets the document of latchkey, with a page
// of 100 keys and one of 10 as examples.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const latchkey = join(import.meta.dirname, "../../bin/latchkey.js");
const API = "api_local";
const authorization = { Authorization: "Bearer any" };
const type = { "Content-Type": "application/json" };

export const prism = {
  name: "@stoplight/prism-cli",
  spec: "latest",
  bin: "dist/index.js",
  note: "our OpenAPI document; a list is always the same example of 100 or 10 keys, and a create keeps nothing",

  /** @returns the arguments that serve these records */
  prepare(folder, records) {
    const file = join(folder, `prism-${records.length}.json`);
    const document = JSON.parse(
      execFileSync(process.execPath, [latchkey, "openapi", "--version", "v1"]),
    );
    const { get } = document.paths["/v1/apis.listKeys"];
    get.responses["200"].content["application/json"].examples = {
      page100: { value: toPage(records, 100) },
      page10: { value: toPage(records, 10) },
    };
    writeFileSync(file, JSON.stringify(document));
    const flags = ["--host", "127.0.0.1", "--verboseLevel", "error"];
    return (port) => ["mock", file, "--port", String(port), ...flags];
  },

  pages(limit) {
    const headers = { ...authorization, Prefer: `example=page${limit}` };
    return [{ path: `/v1/apis.listKeys?apiId=${API}&limit=${limit}`, headers }];
  },

  create(body) {
    const headers = { ...authorization, ...type };
    return { method: "POST", path: "/v1/keys.createKey", headers, body: JSON.stringify(body) };
  },
};

function toPage(records, limit) {
  return { keys: records.slice(0, limit), total: records.length };
}
