// json-server: a REST server for the contents of a JSON file, which it writes at each change.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const type = { "Content-Type": "application/json" };

export const jsonServer = {
  name: "json-server",
  spec: "latest",
  bin: "lib/cli/bin.js",
  note: "a file of the same keys; lists by page number; a create writes the whole file",

  /** @returns the arguments that serve these records */
  prepare(folder, records) {
    const file = join(folder, `json-server-${records.length}.json`);
    writeFileSync(file, JSON.stringify({ keys: records }));
    return (port) => [file, "--port", String(port), "--host", "127.0.0.1", "--quiet"];
  },

  pages(limit, records) {
    return Array.from({ length: Math.ceil(records.length / limit) }, (_, page) => ({
      path: `/keys?_page=${page + 1}&_limit=${limit}`,
    }));
  },

  create(body) {
    return { method: "POST", path: "/keys", headers: type, body: JSON.stringify(body) };
  },
};
