// Checks what has to be right before the version in package.json is published, beside what `npm run check`
// and the tests check. Prints all problems at once, and exits with 1 if there is one. `--tagged` is for a
// commit that is tagged already: it expects the tag of the version, while a run without it expects that
// the tag does not exist yet.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { saysSomething, toSections } from "./changelog.js";

/** The checks by name. Each returns its problems: what was expected, what was found, what to do. */
const checks = {
  tree: () =>
    git("status", "--porcelain")
      .split("\n")
      .filter(Boolean)
      .map((line) => `${line.slice(3)}: expected no uncommitted change; commit it or remove it`),
  branch: branchProblems,
  version: versionProblems,
  tag: tagProblems,
  changelog: changelogProblems,
  repository: repositoryProblems,
};

const { tagged: isTagged } = parseArgs({
  options: { tagged: { type: "boolean", default: false } },
}).values;
const manifest = readJson("package.json");
const { version } = manifest;
const tag = `v${version}`;

let count = 0;
for (const [name, problemsOf] of Object.entries(checks)) {
  for (const problem of problemsOf()) {
    console.error(`${name}: ${problem}`);
    count += 1;
  }
}
if (count > 0) {
  console.error(
    `\n${version} must not be published: ${count} ${count === 1 ? "problem" : "problems"}`,
  );
  process.exitCode = 1;
} else {
  console.log(`${version}: no problems found`);
}

function branchProblems() {
  if (isTagged) {
    return isSuccess("git", "merge-base", "--is-ancestor", "HEAD", "origin/main")
      ? []
      : ["expected a commit of origin/main, got another; tag one that was merged"];
  }
  const branch = git("branch", "--show-current") || "no branch";
  return branch === "main"
    ? []
    : [`expected main, got ${branch}; merge, and check out main: \`git switch main\``];
}

function versionProblems() {
  const number = "(?:0|[1-9]\\d*)";
  const pre = `(?:${number}|\\d*[a-z-][\\da-z-]*)`;
  const semver = new RegExp(`^${number}\\.${number}\\.${number}(?:-${pre}(?:\\.${pre})*)?$`, "i");
  const lock = readJson("package-lock.json");
  const [, source] = /version = "(.*)"/.exec(readFileSync("src/base/version.ts", "utf8")) ?? [];
  const others = [
    ["src/base/version.ts", source, "npm run gen"],
    ["package-lock.json", lock.version, "npm install --package-lock-only"],
    [
      "package-lock.json, of its root",
      lock.packages[""].version,
      "npm install --package-lock-only",
    ],
  ];
  const unlike = others.filter(([, found]) => found !== version);
  return [
    ...(semver.test(version)
      ? []
      : [`package.json: expected a version like 1.2.3 or 1.2.3-rc.1, got ${version}; correct it`]),
    ...unlike.map(
      ([file, found, command]) =>
        `${file}: expected ${version} as in package.json, got ${found}; run \`${command}\``,
    ),
  ];
}

function tagProblems() {
  const commit = spawnSync("git", [
    "rev-parse",
    "--verify",
    "--quiet",
    `refs/tags/${tag}^{commit}`,
  ]);
  const found = commit.stdout.toString().trim();
  if (isTagged) {
    return found === git("rev-parse", "HEAD")
      ? []
      : [`expected ${tag} at this commit, got ${found || "no such tag"}; tag what is published`];
  }
  return found === ""
    ? []
    : [`expected no ${tag} yet, found one at ${found.slice(0, 7)}; raise the version`];
}

function changelogProblems() {
  const sections = toSections(readFileSync("CHANGELOG.md", "utf8"));
  const left = sections.find(({ title }) => /^\[?unreleased\]?$/i.test(title));
  const own = sections.find((each) => each.version === version);
  const heading = `\`## ${version} - YYYY-MM-DD\``;
  const problems = [];
  if (left !== undefined && left.text !== "") {
    problems.push(`expected nothing under ${left.title}, found lines; move them under ${heading}`);
  }
  if (own === undefined) {
    problems.push(`expected a section for ${version}, found none; head it ${heading}`);
    return problems;
  }
  if (!isDate(own.date)) {
    problems.push(`expected a date in "${own.title}", got ${own.date ?? "none"}; write ${heading}`);
  }
  if (!saysSomething(own)) {
    problems.push(`expected lines under "${own.title}", found none; say what changed for users`);
  }
  return problems;
}

function repositoryProblems() {
  const { repository } = manifest;
  const url = typeof repository === "string" ? repository : repository?.url;
  return url
    ? []
    : [
        "package.json: expected `repository`, got none; add the URL of the project, because the provenance of the package is checked against it",
      ];
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync("git", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.trimEnd();
}

function isSuccess(command, ...args) {
  return spawnSync(command, args).status === 0;
}

function isDate(text) {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text ?? "")) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
