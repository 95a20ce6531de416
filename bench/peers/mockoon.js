// Mockoon: routes in an environment file. A CRUD route serves a data bucket.
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const type = { "Content-Type": "application/json" };
const BUCKET = "keys";

export const mockoon = {
  name: "@mockoon/cli",
  spec: "latest",
  bin: "bin/run.js",
  note: "a CRUD route over a data bucket of the same keys; lists by page number",

  /** @returns the arguments that serve these records */
  prepare(folder, records) {
    const file = join(folder, `mockoon-${records.length}.json`);
    writeFileSync(file, JSON.stringify(toEnvironment(records)));
    const flags = ["--disable-log-to-file", "--hostname", "127.0.0.1"];
    return (port) => ["start", "--data", file, "--port", String(port), "--repair", ...flags];
  },

  pages(limit, records) {
    return Array.from({ length: Math.ceil(records.length / limit) }, (_, page) => ({
      path: `/keys?page=${page + 1}&limit=${limit}`,
    }));
  },

  create(body) {
    return { method: "POST", path: "/keys", headers: type, body: JSON.stringify(body) };
  },
};

function toEnvironment(records) {
  const uuid = randomUUID();
  return {
    uuid: randomUUID(),
    lastMigration: 33,
    name: "keys",
    port: 3_000,
    hostname: "",
    endpointPrefix: "",
    latency: 0,
    folders: [],
    routes: [toRoute(uuid)],
    rootChildren: [{ type: "route", uuid }],
    headers: [{ key: "Content-Type", value: "application/json" }],
    data: [
      {
        uuid: randomUUID(),
        id: BUCKET,
        name: "keys",
        documentation: "",
        value: JSON.stringify(records),
      },
    ],
  };
}

function toRoute(uuid) {
  return {
    uuid,
    type: "crud",
    documentation: "",
    method: "",
    endpoint: "keys",
    responseMode: null,
    streamingMode: null,
    streamingInterval: 0,
    responses: [
      {
        uuid: randomUUID(),
        body: "{}",
        latency: 0,
        statusCode: 200,
        label: "",
        headers: [],
        bodyType: "DATABUCKET",
        filePath: "",
        databucketID: BUCKET,
        sendFileAsBody: false,
        rules: [],
        rulesOperator: "OR",
        disableTemplating: false,
        fallbackTo404: false,
        default: true,
        crudKey: "id",
        callbacks: [],
      },
    ],
  };
}
