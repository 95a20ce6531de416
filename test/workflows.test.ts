import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type * as Parser from "@actions/workflow-parser";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { parse } from "yaml";

const FOLDER = ".github/workflows";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly "timeout-minutes"?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly node: readonly number[] } };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: unknown;
  readonly concurrency: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const names = await readdir(FOLDER);
const texts = await Promise.all(names.map((name) => readFile(join(FOLDER, name), "utf8")));
const all = names.map((name, index): [string, Workflow, string] => {
  const text = texts[index] ?? "";
  return [name, parse(text), text];
});
const manifest = JSON.parse(await readFile("package.json", "utf8"));

const jobsOf = ({ jobs }: Workflow): Job[] => Object.values(jobs);
const stepsOf = (workflow: Workflow): Step[] => jobsOf(workflow).flatMap(({ steps }) => steps);
const commandsOf = (workflow: Workflow): string[] =>
  stepsOf(workflow).flatMap(({ run }) => run ?? []);

/** Bundled, because it imports JSON in a way that Node.js does not take. */
async function loadParser(): Promise<typeof Parser> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from "@actions/workflow-parser";`, resolveDir: "." },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    logLevel: "error",
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await loadParser();

/** What the parser of the workflows' own language has to say. */
async function problems(name: string, content: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

test("there is one for every change, and one for releases", () => {
  expect(names.sort()).toEqual(["ci.yml", "publish.yml"]);
});

test.each(all)("%s is a workflow", async (name, _, text) => {
  expect(await problems(name, text)).toEqual([]);
});

test.each([
  ["permissions", "contents: read", "contents: peek"],
  ["member", "timeout-minutes", "timeout"],
  ["expression", "matrix.node }}", "matrix.node }"],
])("what is no workflow would be found: a wrong %s", async (_, right, wrong) => {
  const [[name, , text] = ["", undefined, ""]] = all;

  expect(await problems(name, text.replace(right, wrong))).not.toEqual([]);
});

test.each(all)("%s may do little by itself, and ends", (_, workflow) => {
  expect(workflow.permissions).toEqual({ contents: "read" });
  expect(workflow.concurrency).toBeDefined();
  for (const job of jobsOf(workflow)) expect(job["timeout-minutes"]).toBeGreaterThan(0);
});

test.each(all)(
  "%s calls scripts that there are, after what they need is installed",
  (_, workflow) => {
    for (const job of jobsOf(workflow)) {
      const commands = job.steps.flatMap(({ run }) => run ?? []);
      const scripts = commands.flatMap(
        (command) => /^npm (?:run ([\w:-]+)|(test))/.exec(command)?.slice(1).filter(Boolean) ?? [],
      );
      for (const script of scripts) expect(manifest.scripts).toHaveProperty([script]);
      if (scripts.length > 0) expect(commands[0]).toBe("npm ci");
      for (const [file] of commands.join("\n").matchAll(/scripts\/[\w-]+\.js/g)) {
        expect(existsSync(file), file).toBe(true);
      }
    }
  },
);

test.each(all)("%s names the commits of the actions that it uses", (_, workflow, text) => {
  const used = stepsOf(workflow).flatMap(({ uses }) => uses ?? []);

  for (const action of used) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
  expect(text.match(/uses: \S+ # v\d+\.\d+\.\d+$/gm)).toHaveLength(used.length);
});

test("a change is tested with the Node.js lines of engines", () => {
  const [[, ci] = []] = all.filter(([name]) => name === "ci.yml");
  const lines = manifest.engines.node.match(/(?<=[\^=])\d+/g).map(Number);

  const tested = jobsOf(ci as Workflow).flatMap(({ strategy }) => strategy?.matrix.node ?? []);
  expect(tested).toEqual(lines);
  expect(commandsOf(ci as Workflow)).toEqual(["npm ci", "npm run check", "npm test"]);
});

test("a release is checked and tested before it is published, by a job that may do that alone", () => {
  const [[, publish] = []] = all.filter(([name]) => name === "publish.yml");
  const { npm, notes } = (publish as Workflow).jobs;
  const commands = npm?.steps.flatMap(({ run }) => run ?? []) ?? [];

  expect(commands.map((command) => command.split(/ -- | --tag /)[0])).toEqual([
    "npm ci",
    "npm run check",
    "npm test",
    "npm run release:check",
    "npm publish --provenance --access public",
  ]);
  expect(npm?.permissions).toEqual({ contents: "read", "id-token": "write" });
  expect(notes?.permissions).toEqual({ contents: "write" });
});
