// Checks what oxlint cannot check: that the paths, links and commands that pages name are there, that no
// file of src begins with more than 20 lines of imports, and that no folder has one file alone. Prints all
// problems at once.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { headingsOf } from "./markdown.js";

const { name, version, scripts } = JSON.parse(readFileSync("package.json", "utf8"));
const users = pagesIn("docs");
const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "llms.txt",
  "skills/latchkey/SKILL.md",
  ...users,
  ...pagesIn("docs/decisions"),
  ...pagesIn("examples"),
  ...exampleFolders().flatMap(pagesIn),
];

/** The kinds of references in a page. Finding none of a kind means that its pattern is broken. */
const kinds = {
  path: {
    pattern:
      /`((?:src|test|docs|fixtures|bin|bench|scripts|examples)\/[\w./-]*|[\w-]+\.md|\.oxlintrc\.json)/g,
    in: proseOf,
    problem: (page, path) =>
      existsSync(path) || isShown(page, path) ? undefined : "there is no such file",
  },
  link: {
    pattern: /\]\((?!https?:)([^)]*)\)/g,
    in: proseOf,
    problem: linkProblem,
  },
  tarball: {
    pattern: /([\w.-]+\.tgz)/g,
    in: textOf,
    problem: (_page, file) =>
      file === `${name}-${version}.tgz` ? undefined : `npm pack makes ${name}-${version}.tgz`,
  },
  command: {
    pattern: /\bnpm (?:run )?((?<=run )[\w:-]+|test\b|start\b)/g,
    in: textOf,
    more: readdirSync(".github/workflows").map((file) => `.github/workflows/${file}`),
    problem: (page, script) =>
      page.startsWith("examples/") || scripts[script] ? undefined : "there is no such script",
  },
};

const MAX_HEAD = 20;

const problems = [
  ...referenceProblems(),
  ...unreachable(),
  ...exampleProblems(),
  ...folderProblems("src"),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** A line for every path, link, tarball and script that a page names and that does not exist. */
function referenceProblems() {
  return Object.entries(kinds).flatMap(([kind, { pattern, in: read, more = [], problem }]) => {
    const found = [...pages, ...more].flatMap((page) =>
      [...read(page).matchAll(pattern)].map(([, named = ""]) => [page, named]),
    );
    if (found.length === 0) return [`pages: expected some ${kind}, found none`];
    return found.flatMap(([page, named]) => {
      const reason = problem(page, named);
      return reason === undefined ? [] : [`${page}: ${kind} ${named}: ${reason}`];
    });
  });
}

/** Long import heads, and folders with one file alone, in a folder and those below it. */
function folderProblems(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const heads = entries.flatMap(({ name: file }) => {
    const length = /\.tsx?$/.test(file) ? headLength(textOf(`${folder}/${file}`)) : 0;
    return length > MAX_HEAD
      ? [`${folder}/${file}: expected at most ${MAX_HEAD} lines of imports, found ${length}`]
      : [];
  });
  const lone = entries.length > 1 ? [] : [`${folder}: expected more than one file, found one`];
  const folders = entries.filter((entry) => entry.isDirectory());
  const below = folders.flatMap(({ name: inner }) => folderProblems(`${folder}/${inner}`));
  return [...heads, ...lone, ...below];
}

/** The lines from the first import to the last. */
function headLength(text) {
  const [head = ""] = /^import (?:[^;]*;\s*import )*[^;]*;/m.exec(text) ?? [];
  return head.split("\n").length;
}

/** Whether a page tells its reader to write this file, because it shows the text right behind. */
function isShown(page, path) {
  const [, behind = ""] = readFileSync(page, "utf8").split(`\`${path}\`.`);
  return /^[^\n]*\n\n```/.test(behind);
}

function linkProblem(page, link) {
  const [path, heading] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(target)) return "there is no such file";
  if (heading === undefined || headingsOf(proseOf(target)).includes(heading)) return undefined;
  return `${target} has no such heading`;
}

/** Pages for users that a reader of README cannot reach within two links. */
function unreachable() {
  const linked = (page) =>
    [...proseOf(page).matchAll(/\]\(([^)#:]+\.md)/g)].map(([, path = ""]) =>
      join(dirname(page), path),
    );
  const first = linked("README.md").filter((page) => existsSync(page));
  const reached = [...first, ...first.flatMap(linked)];
  return users
    .filter((page) => !reached.includes(page))
    .map((page) => `${page}: expected within two links of README.md, found none`);
}

/**
 * Examples whose package.json does not have the path that examples/README.md tells readers to replace
 * in a copy of an example.
 */
function exampleProblems() {
  const [, path] = /In a copy, `(.*?)`/.exec(textOf("examples/README.md")) ?? [];
  if (path === undefined) return ["examples/README.md: expected what a copy replaces, found none"];
  return exampleFolders()
    .map((folder) => `${folder}/package.json`)
    .filter((file) => existsSync(file))
    .filter((file) => JSON.parse(textOf(file)).devDependencies[name] !== path)
    .map((file) => `${file}: expected ${name} from ${path}, as examples/README.md says`);
}

function exampleFolders() {
  return readdirSync("examples", { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name: folder }) => `examples/${folder}`);
}

function pagesIn(folder) {
  const files = readdirSync(folder).filter((file) => file.endsWith(".md"));
  return files.map((file) => `${folder}/${file}`);
}

function textOf(page) {
  return readFileSync(page, "utf8");
}

/** A page without its code blocks, which `test/docs/pages.slow.test.ts` runs. */
function proseOf(page) {
  return textOf(page).replaceAll(/^```.*?^```$/gms, "");
}
