import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** No folder may import this, because no package has the name. */
const PACKAGE = `import "left-pad";`;
const NODE = `import "node:fs";`;

/**
 * Folders in which `.oxlintrc.json` refuses too little. An override of it replaces another as a
 * whole, so a rule that is written may still take no effect: each folder is tried with an import
 * that is wrong everywhere, and with each of our folders that ARCHITECTURE.md does not name for it.
 */
export function importRuleProblems() {
  const allowed = allowedFolders();
  const probes = new Map();
  for (const folder of foldersOf("src")) {
    const [, own = ""] = folder.split("/");
    const others = [...allowed.keys()].filter(
      (other) => other !== own && !allowed.get(own)?.includes(other),
    );
    const lines = [PACKAGE, ...(inBrowser(folder) ? [NODE] : [])];
    const depth = "../".repeat(folder.split("/").length - 1);
    lines.push(...others.map((other) => `import "${depth}${other}/probe.ts";`));
    probes.set(`${folder}/probe.ts`, lines);
  }
  if (probes.size === 0) return ["src: expected folders, found none"];
  const refused = refusedLines(probes);
  return [...probes].flatMap(([file, lines]) =>
    lines
      .filter((_, index) => !refused.has(`${file}:${index + 1}`))
      .map((line) => `.oxlintrc.json: ${dirname(file)}: expected a rule that refuses ${line}`),
  );
}

/** The folders of ARCHITECTURE.md, each with those of our folders that it may import. */
function allowedFolders() {
  const rows = readFileSync("ARCHITECTURE.md", "utf8").matchAll(
    /^\| `src\/([\w-]+)\/` +\|.*\| ([^|]*) \|$/gm,
  );
  const table = new Map([...rows].map(([, folder, cell]) => [folder, cell.split(";")[0]]));
  const names = [...table.keys()];
  return new Map(
    names.map((folder, index) => {
      const cell = table.get(folder);
      if (!cell.startsWith("all")) return [folder, cell.match(/[\w-]+/g) ?? []];
      const except = [folder, ...(/^all.* but (\w+)/.exec(cell)?.slice(1) ?? [])];
      return [folder, names.slice(0, index).filter((name) => !except.includes(name))];
    }),
  );
}

/** Node's modules may stand where a process runs, and where files are read. */
function inBrowser(folder) {
  return !/^src\/(?:cli|http|vitest|seeding$)/.test(folder);
}

function foldersOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name, parentPath }) => join(parentPath, name).replaceAll("\\", "/"));
}

/** The lines that the linter refuses for what they import, as `file:line`. */
function refusedLines(probes) {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-lint-"));
  try {
    copyFileSync(".oxlintrc.json", join(folder, ".oxlintrc.json"));
    for (const [file, lines] of probes) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), `${lines.join("\n")}\n`);
    }
    const args = [resolve("node_modules/oxlint/bin/oxlint"), "--format=json"];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    const { diagnostics } = JSON.parse(stdout);
    return new Set(
      diagnostics
        .filter(({ code }) => code.includes("no-restricted-imports"))
        .map(({ filename, labels }) => `${filename}:${labels[0].span.line}`),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
