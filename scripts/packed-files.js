// What a package may hold: told of what `npm pack --json` lists.

/**
 * In bytes, a third above what was packed when they were set: raise them knowingly. The largest file
 * is a source map, and half of what is packed are source maps.
 */
const MOST_OF_A_FILE = 1_400_000;
const MOST_OF_ALL = 1_150_000;

const PLACES = /^(?:bin|dist|fixtures)\/|^(?:README\.md|CHANGELOG\.md|LICENSE|package\.json)$/;
const TESTS = /\.test\.|^(?:.*\/)?(?:test|bench|scripts|examples)\//;
const SOURCES = /(?<!\.d)\.[cm]?tsx?$|\.tsbuildinfo$/;

/**
 * What is wrong with a package. `read` gives the text of a packed file.
 * @returns {string[]}
 */
export function packageProblems({ files, size }, manifest, read) {
  const paths = new Set(files.map(({ path }) => path));
  const missing = wanted(manifest).filter((path) => !paths.has(path));
  const large = files.filter((file) => file.size > MOST_OF_A_FILE);
  return [
    ...missing.map((path) => `${path}: expected in the package, not there; build it, or name it`),
    ...[...paths].flatMap((path) => strangeness(path) ?? []),
    ...large.map(
      (file) =>
        `${file.path}: expected at most ${MOST_OF_A_FILE} bytes, got ${file.size}; see what made it grow`,
    ),
    ...(size > MOST_OF_ALL
      ? [`expected at most ${MOST_OF_ALL} bytes packed, got ${size}; see what made it grow`]
      : []),
    ...[...paths].flatMap((path) => mapProblems(path, paths, read)),
  ];
}

/** What users are promised, or led to. */
function wanted({ bin, exports }) {
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

function strangeness(path) {
  const what =
    (!PLACES.test(path) && "is in no folder that is published") ||
    (TESTS.test(path) && "is for developers") ||
    (SOURCES.test(path) && "is a source");
  return what ? `${path}: expected not to be in the package, because it ${what}` : undefined;
}

/** A map that is named and not there, or that names what is not there, troubles debuggers. */
function mapProblems(path, paths, read) {
  if (path.endsWith(".map")) {
    const { sources, sourcesContent } = JSON.parse(read(path));
    const lost = sourcesContent ? [] : sources.filter((name) => !paths.has(beside(path, name)));
    return lost.map((name) => `${path}: expected no map of ${name}, which is not in the package`);
  }
  if (!/\.[cm]?[jt]s$/.test(path)) return [];
  const [, map] = /^\/\/# sourceMappingURL=(?!data:)(\S+)\s*$/m.exec(read(path)) ?? [];
  return map === undefined || paths.has(beside(path, map))
    ? []
    : [`${path}: expected no mention of ${map}, which is not in the package`];
}

function beside(path, name) {
  return new URL(name, `file:///${path}`).pathname.slice(1);
}
