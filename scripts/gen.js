// Writes what is generated from other files of the repository; with --check, only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const fixture = readFileSync("fixtures/small.json", "utf8").trimEnd();

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

const { fixtureJsonSchema } = await load("src/seeding/fixtures/json-schema.ts");

const outputs = {
  "fixtures/fixture.schema.json": `${JSON.stringify(fixtureJsonSchema(), null, 2)}\n`,
  "src/version.ts": `// Generated from package.json by \`npm run gen\`.

/** The version of the package. */
export const version = ${JSON.stringify(version)};
`,
  // A browser cannot read files, so the fixture that is built in is a module as well.
  "src/seeding/fixtures/small-fixture.ts": `// Generated from fixtures/small.json by \`npm run gen\`.
import type { Fixture } from "./format.ts";

/** What an emulator starts with when it is given no fixture. */
export const smallFixture: Fixture = JSON.parse(String.raw\`${fixture}\`);
`,
};

const isCheck = process.argv.includes("--check");
for (const [file, text] of Object.entries(outputs)) {
  if (!isCheck) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    console.error(`${file} is not what \`npm run gen\` makes; run it and commit the result`);
    process.exitCode = 1;
  }
}

/** A module of the sources, which Node.js cannot read as they are. */
async function load(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "error",
  });
  return import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
  );
}
