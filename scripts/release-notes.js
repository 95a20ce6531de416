// Prints the section of CHANGELOG.md for the version in package.json, as the notes of its release.
import { readFileSync } from "node:fs";
import { toSections } from "./changelog.js";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const section = toSections(readFileSync("CHANGELOG.md", "utf8")).find(
  (each) => each.version === version,
);
if (section === undefined) {
  console.error(`CHANGELOG.md: expected a section for ${version}, found none`);
  process.exitCode = 1;
} else {
  console.log(section.text);
}
