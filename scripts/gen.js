// Writes every file that is generated from others. With --check it only compares them, and fails if one
// is out of date.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "oxfmt";
import { differencesPage } from "./differences.js";
import { folderList, importOverrides } from "./folder-rules.js";
import { load } from "./load.js";
import { GENERATED, page } from "./markdown.js";
import { referencePages } from "./reference.js";

const RECORDS = "docs/decisions";

const fixture = readFileSync("fixtures/small.json", "utf8").trimEnd();

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

const sources = await load([
  "src/cli/options/options.ts",
  "src/cli/options/site-options.ts",
  "src/cli/options/sweep-options.ts",
  "src/api/errors.ts",
  "src/schema/json-schema.ts",
  "src/api/openapi/openapi.ts",
  "src/api/quirks.ts",
  "src/api/v2/problem.ts",
  "src/api/version.ts",
  "src/control/openapi.ts",
  "src/control/routes.ts",
  "src/gateway/policies.ts",
  "src/gateway/principal.ts",
  "src/service/request.ts",
  "src/service/operations/table.ts",
  "src/seed/json-schema.ts",
  "src/state/keys/key.ts",
]);

const operationNames = [
  ...new Set(sources.operationsOf().map(({ contract }) => contract.name)),
].toSorted();

const records = readdirSync(RECORDS)
  .filter((name) => name !== "README.md")
  .toSorted()
  .map((name) => ({ name, text: readFileSync(`${RECORDS}/${name}`, "utf8") }));

const folders = readdirSync("src", { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name, parentPath }) => join(parentPath, name).replaceAll("\\", "/").slice("src/".length))
  .toSorted();
const linter = JSON.parse(readFileSync(".oxlintrc.json", "utf8"));
const ownOverrides = linter.overrides.filter(({ files }) => !files[0].startsWith("src/"));
const overrides = [...importOverrides(folders), ...ownOverrides];
const architecture = readFileSync("ARCHITECTURE.md", "utf8");

const outputs = {
  ".oxlintrc.json": await formatted(".oxlintrc.json", JSON.stringify({ ...linter, overrides })),
  "ARCHITECTURE.md": await formatted(
    "ARCHITECTURE.md",
    architecture.replace(/(?<=^## The rooms\n\n)[^]*?(?=^## )/m, () => `${folderList()}\n\n`),
    { proseWrap: "always" },
  ),
  ...Object.fromEntries(
    Object.entries(referencePages(sources)).map(([file, text]) => [`docs/${file}`, text]),
  ),
  "docs/differences.md": differencesPage(sources, records),
  [`${RECORDS}/README.md`]: decisionsPage(records),
  "fixtures/fixture.schema.json": `${JSON.stringify(sources.fixtureJsonSchema(), null, 2)}\n`,
  "src/base/version.ts": `// Generated from package.json by \`npm run gen\`.

/** The version of the package. */
export const version = ${JSON.stringify(version)};
`,
  "src/api/operation-name.ts": `// Generated from the operations by \`npm run gen\`.

/** The name of an operation of latchkey, or of one of your own. Editors complete those of latchkey. */
export type OperationName =
${operationNames.map((name) => `  | ${JSON.stringify(name)}`).join("\n")}
  // Keeps the names above from becoming part of \`string\`, so that editors still complete them.
  | (string & {});
`,
  // A browser cannot read files, so the built-in fixture is also a module.
  "src/seed/small-fixture.ts": `// Generated from fixtures/small.json by \`npm run gen\`.
import type { FixtureMembers } from "./format.ts";

/** The fixture of an emulator that is created without one. */
export const smallFixture: FixtureMembers = JSON.parse(String.raw\`${fixture}\`);
`,
};

const isCheck = process.argv.includes("--check");
for (const [file, text] of Object.entries(outputs)) {
  if (!isCheck) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
    console.error(`${file} is out of date; run \`npm run gen\` and commit the result`);
    process.exitCode = 1;
  }
}

/** The index of the decision records. */
function decisionsPage(found) {
  const links = found.map(({ name, text }) => {
    const [, title = ""] = /^# (.*)$/m.exec(text) ?? [];
    return `- [${title}](${name})`;
  });
  return page(
    GENERATED,
    "# Decisions",
    "Why latchkey is as it is, where a reader of the code would have to guess. Records that no longer decide anything were deleted, so numbers are missing.",
    links.join("\n"),
  );
}

/** Formats a text as `npm run fmt` does with the options in .oxfmtrc.json, because that formats these files too. */
async function formatted(file, text, options) {
  const { code, errors } = await format(file, text, options);
  if (errors.length > 0) throw new Error(`${file}: ${JSON.stringify(errors)}`);
  return code;
}
