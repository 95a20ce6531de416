// The emulator itself, as one among them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const API = "api_local";
const authorization = { Authorization: "Bearer any" };
const type = { "Content-Type": "application/json" };

export const latchkey = {
  name: "latchkey",
  bin: join(import.meta.dirname, "../../bin/latchkey.js"),
  note: "made-up keys; lists by cursor",

  /** @returns the arguments that serve as many keys */
  prepare(folder, records) {
    const fixture = join(folder, "latchkey.json");
    writeFileSync(fixture, JSON.stringify({ apis: [{ id: API }] }));
    const flags = ["--fixture", fixture, "--random-seed", "1", "--generate", `${records.length}`];
    return (port) => ["serve", "--port", String(port), ...flags];
  },

  /** Cursors name the last key of the page before. */
  pages(limit, records) {
    return Array.from({ length: Math.ceil(records.length / limit) }, (_, page) => {
      const query = new URLSearchParams({ apiId: API, limit });
      if (page > 0) query.set("cursor", toCursor(records[page * limit - 1]));
      return { path: `/v1/apis.listKeys?${query}`, headers: authorization };
    });
  },

  create(body) {
    const headers = { ...authorization, ...type };
    return { method: "POST", path: "/v1/keys.createKey", headers, body: JSON.stringify(body) };
  },
};

function toCursor({ id }) {
  return Buffer.from(JSON.stringify({ key: id })).toString("base64url");
}
