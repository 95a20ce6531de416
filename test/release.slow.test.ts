import { rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run } from "./_run.ts";
import { givenFolder } from "./cli/_folder.ts";

/** A project that is ready to be published as 1.2.3, in its own git repository. */
async function givenProject() {
  const manifest = {
    name: "a",
    version: "1.2.3",
    type: "module",
    repository: "github:example/a",
    bin: { a: "./bin/a.js" },
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    files: ["bin", "dist", "fixtures", "CHANGELOG.md"],
  };
  const lock = { version: "1.2.3", packages: { "": { version: "1.2.3" } } };
  const folder = await givenFolder({
    "package.json": JSON.stringify(manifest),
    "package-lock.json": JSON.stringify(lock),
    "CHANGELOG.md":
      "# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2026-02-28\n\n### Added\n\n- All.\n",
    "README.md": "# a\n",
    LICENSE: "MIT\n",
    "src/version.ts": `export const version = "1.2.3";\n`,
    "bin/a.js": "",
    "dist/index.js": "",
    "dist/index.d.ts": "",
    "dist/LICENSES.txt": "",
    "dist/page/index.html": "",
    "dist/page/page.js": "",
    "dist/page/page.css": "",
    "dist/page/LICENSES.txt": "",
    "fixtures/demo.yaml": "",
    "fixtures/small.json": "{}",
  });
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = (file: string, text: string) => writeFile(join(folder, file), text);
  const git = async (...args: string[]) => {
    const who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "core.hooksPath="];
    const { code, stderr } = await run("git", [...who, ...args], folder);
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  };
  await git("init", "--quiet", "--initial-branch=main");
  const commit = async () => {
    await git("add", "--all");
    await git("commit", "--quiet", "--message=Change");
  };
  await commit();
  return { folder, write, git, commit, manifest };
}

interface Project {
  readonly folder: string;
}

/** The checks that need no tool of the project. */
const QUICK = "--only=tree,branch,version,tag,changelog,repository";

async function runScript({ folder }: Project, script: string, ...flags: string[]) {
  const args = [resolve("scripts", script), ...flags];
  const { code, stdout, stderr } = await run(process.execPath, args, folder);
  return { code, stdout, lines: stderr.split("\n").filter((line) => /^\w+: /.test(line)) };
}

const check = (project: Project, ...flags: string[]) =>
  runScript(project, "release-check.js", ...flags);

test("release:check passes a project that is ready to be published", async () => {
  const { code, stdout, lines } = await check(await givenProject(), QUICK.concat(",package"));

  expect(lines).toEqual([]);
  expect(code).toBe(0);
  expect(stdout).toBe(
    "1.2.3: no problems found by tree, branch, version, tag, changelog, repository, package\n",
  );
});

test("release:check reports all problems at once", async () => {
  const project = await givenProject();
  const manifest = { ...project.manifest, version: "1.2", repository: undefined };
  await project.write("package.json", JSON.stringify(manifest));
  await project.write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- Something.\n");
  await project.git("switch", "--quiet", "--create", "elsewhere");
  await project.git("tag", "v1.2");

  const { code, lines } = await check(project, QUICK);

  expect(code).toBe(1);
  expect(lines).toEqual([
    "tree: CHANGELOG.md: expected no uncommitted change; commit it or remove it",
    "tree: package.json: expected no uncommitted change; commit it or remove it",
    "branch: expected main, got elsewhere; merge, and check out main: `git switch main`",
    "version: package.json: expected a version like 1.2.3 or 1.2.3-rc.1, got 1.2; correct it",
    "version: src/version.ts: expected 1.2 as in package.json, got 1.2.3; run `npm run gen`",
    expect.stringContaining(
      "version: package-lock.json: expected 1.2 as in package.json, got 1.2.3",
    ),
    expect.stringContaining("version: package-lock.json, of its root: expected 1.2"),
    expect.stringMatching(/^tag: expected no v1\.2 yet, found one at \w{7}; raise the version$/),
    "changelog: expected nothing under Unreleased, found lines; move them under `## 1.2 - YYYY-MM-DD`",
    "changelog: expected a section for 1.2, found none; head it `## 1.2 - YYYY-MM-DD`",
    expect.stringMatching(/^repository: package\.json: expected `repository`, got none; add the/),
  ]);
});

test.each([
  ["## 1.2.3\n\n- A line.", /^changelog: expected a date in "1\.2\.3", got none;/],
  ["## 1.2.3 - 2026-02-30\n\n- A line.", /^changelog: expected a date in .*, got 2026-02-30;/],
  ["## [1.2.3] - 2026-02-28\n\n### Added\n", /^changelog: expected lines under .*, found none;/],
  [
    "## 1.2.30 - 2026-02-28\n\n- A line.",
    /^changelog: expected a section for 1\.2\.3, found none;/,
  ],
])("release:check refuses a changelog with %j", async (section, line) => {
  const project = await givenProject();
  await project.write("CHANGELOG.md", `# Changelog\n\n${section}\n`);

  const { code, lines } = await check(project, "--only=changelog");

  expect(lines).toEqual([expect.stringMatching(line)]);
  expect(code).toBe(1);
});

test("release:check --tagged expects the tag of the version at this commit of main", async () => {
  const project = await givenProject();
  const flags = ["--tagged", "--only=branch,tag"];
  await project.git("update-ref", "refs/remotes/origin/main", "HEAD");
  const untagged = await check(project, ...flags);
  await project.git("tag", "--annotate", "--message=1.2.3", "v1.2.3");
  await project.git("switch", "--quiet", "--detach", "v1.2.3");
  const tagged = await check(project, ...flags);
  await project.write("README.md", "# b\n");
  await project.commit();
  const later = await check(project, ...flags);

  expect(untagged.lines).toEqual([
    "tag: expected v1.2.3 at this commit, got no such tag; tag what is published",
  ]);
  expect(tagged).toMatchObject({ code: 0, lines: [] });
  expect(later.lines).toEqual([
    "branch: expected a commit of origin/main, got another; tag one that was merged",
    expect.stringMatching(/^tag: expected v1\.2\.3 at this commit, got \w{40}; tag what is/),
  ]);
});

test("release:check refuses a package with missing, unwanted or too large files", async () => {
  const project = await givenProject();
  await project.write("dist/index.js", "\n//# sourceMappingURL=index.js.map\n");
  await project.write("dist/other.js.map", "{}");
  await project.write("dist/index.test.js", "");
  await project.write("dist/source.ts", "");
  await project.write("dist/large.js", "x".repeat(600_001));
  await project.write("main.js", "");
  await rm(join(project.folder, "fixtures", "demo.yaml"));
  await rm(join(project.folder, "dist", "page", "page.css"));
  const manifest = { ...project.manifest, files: [...project.manifest.files, "main.js"] };
  await project.write("package.json", JSON.stringify(manifest));

  const { code, lines } = await check(project, "--only=package");

  expect(lines.sort()).toEqual([
    "package: dist/index.js: expected no mention of index.js.map, which is not in the package",
    "package: dist/index.test.js: expected not to be in the package, because it is for developers",
    "package: dist/large.js: expected at most 600000 bytes, got 600001; see what made it grow",
    "package: dist/other.js.map: expected not to be in the package, because it leads stack traces to sources, which are not in the package",
    "package: dist/page/page.css: expected in the package, got no such file; build it, or list it in package.json",
    "package: dist/source.ts: expected not to be in the package, because it is a source",
    "package: fixtures/demo.yaml: expected in the package, got no such file; build it, or list it in package.json",
    "package: main.js: expected not to be in the package, because it is in no folder that is published",
  ]);
  expect(code).toBe(1);
});

test("release:check refuses generated files that are not current, and names the command", async () => {
  const project = await givenProject();
  const scripts = { "gen:check": "node -e 'console.error(`version.ts is old`); process.exit(1)'" };
  await project.write("package.json", JSON.stringify({ ...project.manifest, scripts }));

  const { code, lines } = await check(project, "--only=generated");

  expect(lines).toEqual([
    "generated: expected `npm run --silent gen:check` to pass, got exit code 1:",
  ]);
  expect(code).toBe(1);
});

test("release:check refuses an unknown check with exit code 2", async () => {
  expect(await check(await givenProject(), "--only=tree,fate")).toMatchObject({
    code: 2,
    lines: [],
  });
});

test("release:notes prints the section of the version in the changelog", async () => {
  const project = await givenProject();
  const text =
    "# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2026-02-28\n\n- New.\n\n## 1.2.2\n\n- Old.\n";
  await project.write("CHANGELOG.md", text);

  const notes = await runScript(project, "release-notes.js");

  expect(notes).toMatchObject({ code: 0, stdout: "- New.\n" });
});
