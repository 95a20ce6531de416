// Writes hover texts into the declarations of the package: the descriptions that docs/reference.md has,
// as JSDoc. TypeScript does not keep what schemas say of their members, so editors would show nothing.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "./load.js";
import { sentence } from "./markdown.js";

/**
 * The schema, or the table of options, that describes the members of each declared constant, class and
 * interface, by file.
 */
const described = {
  "cli/options/options": { serveOptions: "serveOptions" },
  "emulator/shared-options": { sharedOptions: "serveOptions" },
  "doors/http/server-options": { serverOptions: "serveOptions" },
  "sweep/limits": { sweepLimits: "ownSweepOptions" },
  "faults/fault": { Fault: "faultInit" },
  "faults/fault-schema": { faultInit: "faultInit" },
  "control/route-schemas": { clockState: "clockState", faultState: "faultState" },
  "gateway/policies": { policyList: "policyList" },
  "gateway/principal": { principal: "principal" },
  "world/findings/findings": { finding: "finding" },
  "state/usage/usage": { usage: "usage", usageQuery: "usageQuery" },
  "world/journal/needed-permissions": { needsOptions: "needsOptions", tokenNeeds: "tokenNeeds" },
  "world/journal/recorded-request": { recordedRequest: "recordedRequest" },
  "world/journal/request-filter": {
    countedFilter: "countedFilter",
    requestFilter: "requestFilter",
  },
  "seed/format": { fixture: "fixture", generateRequest: "generateRequest" },
  "seed/check": { TokenGrant: "accessTokenInit" },
  "state/keys/key": { Key: "keyMembers", keyInit: "keyInit", keyMembers: "keyMembers" },
  "state/records/namespaces": { ratelimitNamespaceInit: "ratelimitNamespaceInit" },
  "state/limits/ratelimits": { ratelimitInit: "ratelimitList" },
  "state/records/tokens": { AccessToken: "accessTokenInit", accessTokenInit: "accessTokenInit" },
  "state/records/apis": { Api: "apiInit", apiInit: "apiInit" },
  "state/records/permissions": { Permission: "permissionInit", permissionInit: "permissionInit" },
  "state/records/roles": { Role: "roleInit", roleInit: "roleInit" },
  "state/records/identities": { Identity: "identityInit", identityInit: "identityInit" },
  "state/records/migrations": { Migration: "migrationInit", migrationInit: "migrationInit" },
};

const DECLARATION = /^(?:export )?declare (?:const|class)|^export interface/;
const NAME = /^(?:export )?(?:declare )?(?:const|class|interface) (\w+)/;
/** A member of a declaration, as tsc writes it: its indentation and its name. */
const MEMBER = /^( +)(?:readonly )?([\w$]+)\??: /;

/** @param {string} folder the folder of the declarations */
export async function writeHoverTexts(folder) {
  const files = Object.keys(described).map((file) => `src/${file}.ts`);
  const more = ["src/cli/options/sweep-options.ts", "src/schema/json-schema.ts"];
  const sources = await load([...files, ...more]);
  for (const [file, schemas] of Object.entries(described)) {
    const path = join(folder, `${file}.d.ts`);
    writeFileSync(path, withTexts(readFileSync(path, "utf8"), schemas, sources));
  }
}

function withTexts(text, schemas, sources) {
  /** The schemas of the objects that the current line is within, the innermost last. */
  let within = [];
  let root = {};
  const missing = new Set(Object.keys(schemas));
  const lines = text.split("\n").flatMap((line, index, all) => {
    if (DECLARATION.test(line)) {
      const [, name] = NAME.exec(line) ?? [];
      missing.delete(name);
      root = Object.hasOwn(schemas, name) ? schemaOf(schemas[name], sources) : {};
      within = [root];
      return [line];
    }
    if (/^ *\}/.test(line)) within.pop();
    const [, indent, name] = MEMBER.exec(line) ?? [];
    if (name === undefined) {
      // Objects of transforms, which no member of a schema leads to.
      if (line.endsWith("{")) within.push(undefined);
      return [line];
    }
    const member = objectIn(within.at(-1), root)?.properties?.[name];
    const meaning = member?.description ?? resolved(member, root)?.description;
    if (line.endsWith("{")) within.push(member);
    const isWritten = all[index - 1].trimEnd().endsWith("*/");
    return meaning === undefined || isWritten
      ? [line]
      : [`${indent}/** ${sentence(meaning)} */`, line];
  });
  if (missing.size > 0) throw new Error(`expected declarations of ${[...missing].join(", ")}`);
  return lines.join("\n");
}

/** The JSON Schema of an export: a schema, a function that makes one, or a table of options. */
function schemaOf(name, { detailsOf, toJsonSchema, ...sources }) {
  const made = sources[name];
  if (typeof made === "function") return toJsonSchema(made(), "input");
  if ("_zod" in made) return toJsonSchema(made, "input");
  const properties = Object.entries(made).map(([member, option]) => {
    const { default: fallback, describe } = detailsOf(option);
    const ending = fallback === undefined ? "" : ` Default: ${fallback}.`;
    return [member, { description: sentence(describe) + ending }];
  });
  return { properties: Object.fromEntries(properties) };
}

function resolved(schema, root) {
  const name = schema?.$ref?.split("/").at(-1);
  return name === undefined ? schema : root.$defs[name];
}

/** The schema of an object: the schema itself, that of its items, or the object among its choices. */
function objectIn(schema, root) {
  const { anyOf, items, ...own } = resolved(schema, root) ?? {};
  if (own.properties) return own;
  if (items) return objectIn(items, root);
  return anyOf?.map((choice) => objectIn(choice, root)).find(Boolean);
}
