import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { folderRules } from "../folder-rules.js";

/** No folder may import this package, because no rule lists it. */
const PACKAGE = `import "left-pad";`;
const NODE = `import "node:fs";`;

/**
 * A line for each forbidden import that `.oxlintrc.json` does not refuse. A later override in that file
 * replaces an earlier one completely, so a rule may be written and have no effect. Therefore the linter
 * runs on a probe file for each folder, with imports that must all be refused.
 */
export function importRuleProblems() {
  const probes = new Map();
  for (const folder of foldersOf("src")) {
    const { folder: own, imports, never = [], node } = ruleOf(folder.slice("src/".length));
    const [top] = own.split("/");
    const allowed = new Set([top, ...imports.map((name) => name.split("/")[0])]);
    const others = folderRules.map((rule) => rule.folder).filter((name) => !name.includes("/"));
    const lines = [PACKAGE, ...(node ? [] : [NODE])];
    const depth = "../".repeat(folder.split("/").length - 1);
    const refused = others.filter((name) => !allowed.has(name));
    lines.push(...refused.map((name) => `import "${depth}${name}/probe.ts";`));
    const exceptions = never.map((path) => path.replace("**/", depth).replace("**", "probe.ts"));
    lines.push(...exceptions.map((path) => `import "${path}";`));
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

/** The rule of a folder: its own, or that of the closest folder around it. */
function ruleOf(folder) {
  const found = folderRules
    .filter((rule) => `${folder}/`.startsWith(`${rule.folder}/`))
    .toSorted((a, b) => b.folder.length - a.folder.length)[0];
  if (found === undefined)
    throw new Error(`src/${folder}: expected a rule in scripts/folder-rules.js`);
  return found;
}

function foldersOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name, parentPath }) => join(parentPath, name).replaceAll("\\", "/"));
}

/** Runs the linter on the probes. Returns the lines with a refused import, as `file:line`. */
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
