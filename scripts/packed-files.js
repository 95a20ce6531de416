// Checks the files of the package, as `npm pack --json` lists them. Prints all problems at once.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Ceilings in bytes, a third above the sizes at the time they were set. Raise them only if you know what
 * grew.
 */
const MAX_FILE = 600_000;
const MAX_PACKED = 860_000;
/** The emulator of static sites. It counts apart from the rest of the package. */
const SITE = "dist/page/site.js.br";
const MAX_SITE = 125_000;

const PLACES =
  /^(?:bin|dist|fixtures)\/|^docs\/(?:decisions\/)?[\w-]+\.md$|^docs\/images\/page\.png$|^examples\/(?!.*node_modules)|^(?:(?:ARCHITECTURE|CHANGELOG|CODE_OF_CONDUCT|CONTRIBUTING|README|SECURITY)\.md|LICENSE|package\.json|llms\.txt|action\.yml|skills\/latchkey\/SKILL\.md)$/;
const TESTS = /^(?!examples\/).*\.test\.|^(?:.*\/)?(?:test|bench|scripts)\//;
const SOURCES = /(?<!\.d)\.[cm]?tsx?$|\.tsbuildinfo$/;

const read = (path) => readFileSync(path, "utf8");
const manifest = JSON.parse(read("package.json"));
// Without scripts, because dist exists already, and the output of a build is not JSON.
const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
const { stderr, stdout } = spawnSync("npm", args, { encoding: "utf8" });
if (stdout === "") throw new Error(`expected npm to pack, got ${stderr}`);
const problems = packageProblems(JSON.parse(stdout)[0]);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** The problems of the package, a line each. */
function packageProblems({ files, size }) {
  const paths = new Set(files.map(({ path }) => path));
  const missing = requiredFiles().filter((path) => !paths.has(path));
  // It is compressed, so it does not become smaller when it is packed.
  const siteSize = files.find(({ path }) => path === SITE)?.size ?? 0;
  return [
    ...missing.map(
      (path) =>
        `${path}: expected in the package, got no such file; build it, or list it in package.json`,
    ),
    ...[...paths].flatMap((path) => unexpectedFile(path) ?? []),
    ...files.flatMap((file) => tooLarge(file.path, file.size, MAX_FILE)),
    ...tooLarge(SITE, siteSize, MAX_SITE),
    ...tooLarge(`the packed package without ${SITE}`, size - siteSize, MAX_PACKED),
    ...[...paths].flatMap((path) => mapProblems(path)),
    ...[...paths].flatMap((path) => linkProblems(path, paths)),
  ];
}

function tooLarge(what, size, most) {
  if (size <= most) return [];
  return [`${what}: expected at most ${most} bytes, got ${size}; see what made it grow`];
}

/** The files that the manifest names, and those that the pages and the emulator refer to. */
function requiredFiles() {
  const { bin, exports } = manifest;
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [target] : Object.values(target),
  );
  const named = [...Object.values(bin), ...targets].map((path) => path.replace(/^\.\//, ""));
  const page = ["latchkey-page.js", "site.html", "site.js.br", "LICENSES.txt"].map(
    (name) => `dist/page/${name}`,
  );
  const others = ["README.md", "LICENSE", "CHANGELOG.md", "dist/LICENSES.txt", ...page];
  return [...new Set([...named, ...others, "fixtures/demo.yaml", "fixtures/small.json"])];
}

/** Links of an installed page that lead to no installed file or folder. Its pictures are large. */
function linkProblems(page, paths) {
  if (!page.endsWith(".md")) return [];
  const links = read(page).matchAll(/\]\((?!\w+:)([^()#\s]+)/g);
  return [...links].flatMap(([, link = ""]) => {
    const path = join(dirname(page), link);
    const isThere = [...paths].some((each) => each === path || each.startsWith(`${path}/`));
    return isThere || path.startsWith("docs/images/")
      ? []
      : [`${page}: expected a link to an installed file, got ${link}; name it without a link`];
  });
}

function unexpectedFile(path) {
  const reason =
    (!PLACES.test(path) && "is in no folder that is published") ||
    (TESTS.test(path) && "is for developers") ||
    (SOURCES.test(path) && "is a source") ||
    (path.endsWith(".map") && "leads stack traces to sources, which are not in the package");
  return reason ? `${path}: expected not to be in the package, because it ${reason}` : undefined;
}

/** Maps that a file names and the package does not have: debuggers look for them. */
function mapProblems(path) {
  if (!/\.[cm]?[jt]s$/.test(path)) return [];
  const [, map] = /^\/\/# sourceMappingURL=(?!data:)(\S+)\s*$/m.exec(read(path)) ?? [];
  return map === undefined
    ? []
    : [`${path}: expected no mention of ${map}, which is not in the package`];
}
