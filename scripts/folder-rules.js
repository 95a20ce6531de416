// The folders of src, from the lowest to the highest: what each holds and what it may import. The
// list in ARCHITECTURE.md and the import rules in .oxlintrc.json are generated from this one.

/**
 * @typedef FolderRule
 * @property {string} folder below src; a folder that is listed has only its own rule, not that of the folder around it
 * @property {string} holds what it contains, for the list in ARCHITECTURE.md
 * @property {string[]} imports folders that it may import
 * @property {string[]} packages packages that it may import
 * @property {boolean} [node] whether it may import modules of Node, so that it does not run in a browser
 * @property {string[]} [never] patterns that it may not import, although `imports` would allow them
 */

const below = ["base", "schema", "api", "state", "faults"];
const inBrowser = [...below, "seed", "world", "service", "control", "emulator"];
/** Reads fixtures from disk. Everything else up to the emulator runs in a browser too. */
const FILES = "**/seed/files.ts";
/** State is the same for all versions of the interface, so that each version can come and go. */
const VERSIONS = ["**/api/v2/**"];

/** @type {FolderRule[]} */
const folderRules = [
  {
    folder: "base",
    holds:
      "small general functions: values of any kind, `wording/` of messages, timers, work in steps",
    imports: [],
    packages: ["leven"],
  },
  {
    folder: "schema",
    holds: "every kind of field, problems and their messages, JSON Schema",
    imports: ["base"],
    packages: ["zod"],
  },
  {
    folder: "api",
    holds:
      "what is about the whole interface: the versions, errors, quirks, permission queries, OpenAPI",
    imports: ["base", "schema"],
    packages: ["zod"],
  },
  {
    folder: "state",
    holds:
      "a workspace, in the terms of no version: `time/` with the clock, `tables/`, `limits/`, `records/` of each kind, `keys/`, `usage/`, and `public/` collections of them for tests",
    imports: ["base", "schema", "api"],
    packages: ["zod", "@msw/data", "@standard-schema/spec", "ms", "@noble/hashes"],
    never: VERSIONS,
  },
  {
    folder: "faults",
    holds: "faults: their schema, and the rules by which they are applied to calls",
    imports: ["base", "schema", "api", "state"],
    packages: ["zod"],
  },
  {
    folder: "seed",
    holds:
      "fixtures: their format, how they are read and checked, the states that they become, snapshots; `files.ts` reads them from disk",
    imports: below,
    packages: ["zod", "yaml"],
    never: VERSIONS,
  },
  {
    folder: "seed/generate",
    holds: "generated keys and their customers",
    imports: [...below, "seed"],
    packages: ["@faker-js/faker"],
    never: ["../files.ts", ...VERSIONS],
  },
  {
    folder: "world",
    holds: "everything that changes, replaced as a whole; with isolation, one world for each token",
    imports: [...below, "seed"],
    packages: [],
    never: [FILES],
  },
  {
    folder: "world/journal",
    holds: "the record of requests: what is kept of a call, masked when it is read; filters",
    imports: below,
    packages: ["zod"],
  },
  {
    folder: "world/findings",
    holds: "mistakes of clients that are certain: the rules, and what they found",
    imports: ["base", "schema", "api"],
    packages: [],
    never: VERSIONS,
  },
  {
    folder: "service",
    holds:
      "one call, from plain request to plain reply, in the order of the service's checks; `v1.ts` and `v2.ts` say what differs",
    imports: [...below, "seed", "world"],
    packages: ["zod"],
    never: [FILES],
  },
  {
    folder: "service/operations",
    holds: "the operations of each version, in `v1/` and `v2/`: contract and code in one file",
    imports: below,
    packages: ["zod"],
  },
  {
    folder: "control",
    holds: "the routes under `/_latchkey` as data, who may use them, and their OpenAPI document",
    imports: [...below, "seed", "world", "service"],
    packages: ["zod"],
    never: [FILES],
  },
  {
    folder: "control/client",
    holds: "the client of the control routes, which controls a running emulator from outside",
    imports: [...below, "seed", "world", "control"],
    packages: [],
    never: [FILES],
  },
  {
    folder: "emulator",
    holds: "what a test works with: options, the emulator, `fetch`",
    imports: [...below, "seed", "world", "service", "control"],
    packages: ["zod"],
    never: [FILES],
  },
  {
    folder: "gateway",
    holds: "the service's gateway in front of a program: its policies, as a client of the emulator",
    imports: ["base", "schema", "api", "state", "world", "service", "emulator"],
    packages: ["zod"],
  },
  {
    folder: "doors",
    holds: "ways in: msw handlers, and test fixtures for vitest",
    imports: [...below, "world", "service", "emulator", "gateway"],
    packages: ["msw", "vitest"],
    never: [FILES],
  },
  {
    folder: "doors/http",
    holds: "node:http in front of the emulator",
    imports: ["base", "schema", "api", "world", "service", "emulator", "gateway"],
    packages: ["zod"],
    node: true,
  },
  {
    folder: "doors/redirect",
    holds: "loaded into other programs: redirects their connections to a running emulator",
    imports: ["base"],
    packages: [],
    node: true,
  },
  {
    folder: "doors/proxy",
    holds:
      "a proxy that redirects programs in other languages, and what makes them use and trust it",
    imports: ["base", "emulator", "http", "redirect"],
    packages: ["@peculiar/x509", "reflect-metadata"],
    node: true,
  },
  {
    folder: "sweep",
    holds:
      "runs a program again and again, each time with another answer spoilt or another order of calls, and judges what it leaves",
    imports: [
      "base",
      "schema",
      "api",
      "state",
      "faults",
      "journal",
      "seed",
      "service",
      "emulator",
      "http",
    ],
    packages: ["zod"],
    node: true,
    never: [FILES],
  },
  {
    folder: "cli",
    holds: "the command line: `commands/`, `options/`, and the `files/` that it reads and writes",
    imports: [...inBrowser, "gateway", "doors", "sweep", "page"],
    packages: [
      "zod",
      "cross-spawn",
      "open",
      "smol-toml",
      "yaml",
      "yargs",
      "yargs-parser",
      "vitest",
    ],
    node: true,
    never: ["node:http"],
  },
  {
    folder: "page",
    holds:
      "the web page: `views/`, and `data/`, which calls the emulator over HTTP, or in the browser for `mountPage` and a static site",
    imports: inBrowser,
    packages: ["preact"],
  },
];

/**
 * The overrides of .oxlintrc.json for the folders, and for `src/index.ts`.
 * @param {string[]} folders every folder below src
 */
export function importOverrides(folders) {
  const none = "This folder has no rule: add it to scripts/folder-rules.js.";
  const index = ["*", ...inBrowser.map((folder) => `!./${folder}/**`), "./seed/files.ts"];
  return [
    override(["src/*/**"], ["*"], none),
    ...folderRules.flatMap((rule) => overridesOf(rule, folders)),
    override(
      ["src/seed/files.ts"],
      ["*", "!./*", "!node:*", "!node:*/*", "!yaml", ...below.map((folder) => `!../${folder}/**`)],
      "It may import what its folder may, and modules of Node.",
    ),
    override(
      ["src/index.ts"],
      index,
      "The library runs in a browser too, and without HTTP and msw.",
    ),
  ];
}

/**
 * Patterns are read like those of .gitignore: `*` forbids every import, each `!…` allows some again, and
 * a later pattern wins. Imports are relative, so a folder is recognised by its last part. Subfolders need
 * an override for each depth, because `../` has to be written out.
 */
function overridesOf(rule, folders) {
  const { folder, imports, never = [], node = false, packages } = rule;
  const parent = folder.slice(0, Math.max(0, folder.lastIndexOf("/")));
  const allowed = [
    "*",
    "!./*",
    "!./**",
    ...(imports.includes(parent) ? ["!../*.ts", "!../*/**"] : []),
    ...(node ? ["!node:*", "!node:*/*"] : []),
    ...packages.flatMap((name) => [`!${name}`, `!${name}/**`]),
    ...imports.map((name) => `!**/${name.split("/").at(-1)}/**`),
  ];
  const message = `${imports.length === 0 ? "It imports no other folder of src" : `It may import ${imports.join(", ")}`}${node ? "" : ", and runs in a browser too"}; see scripts/folder-rules.js.`;
  const subs = folders.filter((name) => name.startsWith(`${folder}/`) && !hasRule(name));
  const depths = new Set(subs.map((name) => name.split("/").length - folder.split("/").length));
  return [
    override([`src/${folder}/**`], [...allowed, ...never], message),
    // Files in a subfolder without a rule may import files of the folder itself and of its other such
    // subfolders. These are named by their way up, because other folders may have subfolders of that name.
    ...[...depths].toSorted().map((depth) => {
      const above = Array.from({ length: depth }, (_, index) => `!${"../".repeat(index + 1)}*.ts*`);
      const top = "../".repeat(depth);
      const beside = depth > 1 ? ["!../*/**"] : [];
      const within = subs.map((name) => `!${top}${name.slice(folder.length + 1)}/**`);
      const files = subs
        .filter((name) => name.split("/").length - folder.split("/").length === depth)
        .map((name) => `src/${name}/*`);
      return override(files, [...allowed, ...within, ...beside, ...above, ...never], message);
    }),
  ];
}

function hasRule(folder) {
  return folderRules.some((rule) => rule.folder === folder);
}

function override(files, group, message) {
  const rule = ["error", { patterns: [{ group, message }] }];
  return { files, rules: { "no-restricted-imports": rule } };
}

/** The list in ARCHITECTURE.md. */
export function folderList() {
  const items = folderRules.map(({ folder, holds, imports, node, packages }) => {
    const names = [...imports, ...(node ? ["Node"] : []), ...packages.map((name) => `\`${name}\``)];
    return `- **\`src/${folder}/\`**: ${holds}. _Imports_: ${names.join(", ")}.`;
  });
  return items.join("\n");
}
