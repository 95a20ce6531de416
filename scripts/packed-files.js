// Checks the files of the package, as `npm pack --json` lists them.

/**
 * Ceilings in bytes, a third above the sizes at the time they were set. Raise them only if you know what
 * grew.
 */
const MAX_FILE = 600_000;
const MAX_PACKED = 830_000;

const PLACES =
  /^(?:bin|dist|fixtures)\/|^docs\/(?:decisions\/)?[\w-]+\.md$|^docs\/proof\.json$|^docs\/images\/page\.png$|^examples\/README\.md$|^(?:(?:ARCHITECTURE|CHANGELOG|CONTRIBUTING|README|SECURITY)\.md|LICENSE|package\.json|llms\.txt|action\.yml|skills\/latchkey\/SKILL\.md)$/;
const TESTS = /\.test\.|^(?:.*\/)?(?:test|bench|scripts|examples(?!\/README\.md$))\//;
const SOURCES = /(?<!\.d)\.[cm]?tsx?$|\.tsbuildinfo$/;

/**
 * The problems of a package, a line each. `read` returns the text of a packed file.
 * @returns {string[]}
 */
export function packageProblems({ files, size }, manifest, read) {
  const paths = new Set(files.map(({ path }) => path));
  const required = [...requiredFiles(manifest), ...linkedPages(paths, read)];
  const missing = required.filter((path) => !paths.has(path));
  const large = files.filter((file) => file.size > MAX_FILE);
  return [
    ...missing.map(
      (path) =>
        `${path}: expected in the package, got no such file; build it, or list it in package.json`,
    ),
    ...[...paths].flatMap((path) => unexpectedFile(path) ?? []),
    ...large.map(
      (file) =>
        `${file.path}: expected at most ${MAX_FILE} bytes, got ${file.size}; see what made it grow`,
    ),
    ...(size > MAX_PACKED
      ? [`expected at most ${MAX_PACKED} bytes packed, got ${size}; see what made it grow`]
      : []),
    ...[...paths].flatMap((path) => mapProblems(path, read)),
  ];
}

/** The files that the manifest names, and those that the pages and the emulator refer to. */
function requiredFiles({ bin, exports }) {
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [target] : Object.values(target),
  );
  const named = [...Object.values(bin), ...targets].map((path) => path.replace(/^\.\//, ""));
  const page = ["index.html", "page.js", "page.css", "LICENSES.txt"].map(
    (name) => `dist/page/${name}`,
  );
  const others = ["README.md", "LICENSE", "CHANGELOG.md", "dist/LICENSES.txt", ...page];
  return [...new Set([...named, ...others, "fixtures/demo.yaml", "fixtures/small.json"])];
}

/** The pages for users that README links to, and its picture. */
function linkedPages(paths, read) {
  if (!paths.has("README.md")) return [];
  const links = read("README.md").matchAll(/\]\((docs\/[\w/-]+\.(?:md|png))/g);
  return new Set([...links].map(([, path = ""]) => path));
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
function mapProblems(path, read) {
  if (!/\.[cm]?[jt]s$/.test(path)) return [];
  const [, map] = /^\/\/# sourceMappingURL=(?!data:)(\S+)\s*$/m.exec(read(path)) ?? [];
  return map === undefined
    ? []
    : [`${path}: expected no mention of ${map}, which is not in the package`];
}
