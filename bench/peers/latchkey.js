// latchkey, measured like the other emulators.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const API = "api_local";
const SEED = ["--random-seed", "1"];
const authorization = { Authorization: "Bearer any" };
const type = { "Content-Type": "application/json" };
const bin = join(import.meta.dirname, "../../bin/latchkey.js");

export const latchkey = {
  name: "latchkey",
  bin,
  note: "a fixture of the same keys; lists by cursor",

  /** @returns the arguments that serve the same number of keys */
  prepare(folder, { length }) {
    const file = writeKeys(folder, length);
    return (port) => ["serve", "--port", String(port), ...SEED, "--fixture", file];
  },

  /** Cursors name the last key of the previous page. */
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

/** Writes a fixture of made-up keys unless the file exists, and returns its name. */
export function writeKeys(folder, count) {
  const file = join(folder, `latchkey-${count}.json`);
  if (existsSync(file)) return file;
  const flags = ["--count", String(count), "--api", API, ...SEED, "--out", file];
  execFileSync(process.execPath, [bin, "generate", ...flags], { stdio: "pipe" });
  return file;
}

function toCursor({ id }) {
  return Buffer.from(JSON.stringify({ key: id })).toString("base64url");
}
