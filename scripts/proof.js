// What proves that latchkey is what its pages say: reads test/proof.yaml, makes the page of proofs from
// it, and finds the rows that no test proves.
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parse } from "yaml";
import { code, GENERATED, page, table } from "./markdown.js";

const PROOF = "test/proof.yaml";
const MORE = "…";

/** The rows of test/proof.yaml, each with the tests that prove it. */
export function readProof({ operationsOf }) {
  const { behaviours, clients, operations } = parse(readFileSync(PROOF, "utf8"));
  return {
    operations: [...versionsByName(operationsOf())].map(([name, versions]) => ({
      name,
      versions,
      tests: (operations[name] ?? []).map((file) => ({ file: fileOf(`operations/${file}`) })),
    })),
    behaviours: Object.entries(behaviours).flatMap(([group, rows]) =>
      rows.map(({ behaviour, file, title }) => ({
        group,
        behaviour,
        tests: [{ file: fileOf(file), title }],
      })),
    ),
    clients: Object.entries(clients).map(([alias, files]) => ({
      ...installed(alias),
      tests: files.map((file) => ({ file: fileOf(file) })),
    })),
  };
}

/** The rows as a page. */
export function proofPage({ behaviours, clients, operations }) {
  const groups = [...new Set(behaviours.map(({ group }) => group))];
  return page(
    GENERATED,
    "# Proof",
    "Each row names the tests that prove it. They ran and passed on the commit that you read: the checks of the project refuse a row without such a test. `proof.json`, beside this page, has the same rows for machines, and every [known difference](differences.md) from the service. The tests compare latchkey with the service's published interface, with its public code and with its public clients; none was run against the live service. The tests are in the repository, and not in the package.",
    "## Operations",
    table(
      ["operation", "v2", "v1", "tests"],
      operations.map(({ name, tests, versions }) => [
        code(name),
        versions.includes("v2") ? "yes" : "no",
        versions.includes("v1") ? "yes" : "no",
        linksTo(tests),
      ]),
    ),
    "[Known differences](differences.md#in-every-version) names the operations that are not served.",
    "## Behaviour",
    groups.map((group) => [
      `### ${group}`,
      table(
        ["what", "test"],
        behaviours
          .filter((row) => row.group === group)
          .map(({ behaviour, tests }) => [behaviour, linksTo(tests)]),
      ),
    ]),
    "## Clients and tools",
    "Tests run these packages in these versions:",
    table(
      ["package", "version", "tests"],
      clients.map(({ name, tests, version }) => [code(name), version, linksTo(tests)]),
    ),
  );
}

/**
 * A line for each row without a test that passed, and for each with one that failed. `reports` are
 * those of vitest's reporter `json`.
 * @returns {string[]}
 */
export function proofProblems({ behaviours, clients, operations }, reports) {
  const results = new Map();
  for (const { assertionResults, name } of reports.flatMap(({ testResults }) => testResults)) {
    const file = relative(process.cwd(), name).replaceAll("\\", "/");
    results.set(file, [...(results.get(file) ?? []), ...assertionResults]);
  }
  return [...operations, ...behaviours, ...clients].flatMap(({ behaviour, name, tests }) => {
    const row = `${PROOF}: ${behaviour ?? name}`;
    if (tests.length === 0) return [`${row}: expected tests, found none`];
    return tests.flatMap(({ file, title = MORE }) => {
      const found = (results.get(file) ?? []).filter((result) => isNamed(result, title));
      const failed = found.find(({ status }) => status === "failed");
      if (failed !== undefined) return [`${row}: ${file}: ${failed.title}: failed`];
      // Runs with other versions of Node.js leave some tests out.
      if (found.some(({ status }) => status === "passed")) return [];
      return [`${row}: ${file}: ${title}: expected a test that passed, found none`];
    });
  });
}

function isNamed({ title }, expected) {
  return expected.endsWith(MORE) ? title.startsWith(expected.slice(0, -1)) : title === expected;
}

/** The operations, each with the versions that have it. */
function versionsByName(operations) {
  const versions = new Map();
  for (const { contract } of operations) {
    const [, version] = contract.path.split("/");
    versions.set(contract.name, [...(versions.get(contract.name) ?? []), version]);
  }
  return versions;
}

function fileOf(name) {
  const file = `test/${name}.test.ts`;
  return existsSync(file) ? file : file.replace(/test\.ts$/, "slow.test.ts");
}

function linksTo(tests) {
  return tests.map(({ file }) => `[${file.replace("test/", "")}](../${file})`).join(", ");
}

/** The name and the version of an installed package. */
function installed(alias) {
  const { name, version } = JSON.parse(
    readFileSync(join("node_modules", alias, "package.json"), "utf8"),
  );
  return { name, version };
}
