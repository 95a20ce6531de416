import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { parse } from "yaml";

const FOLDER = ".github/workflows";
const { engines, scripts } = JSON.parse(readFileSync("package.json", "utf8"));

/** Lines for workflows that GitHub would refuse, actions without a commit, and missing scripts. */
export async function workflowProblems() {
  const names = readdirSync(FOLDER);
  const check = await loadParser();
  const problems = names.length === 0 ? [`${FOLDER}: expected workflows, found none`] : [];
  for (const name of names) {
    const content = readFileSync(join(FOLDER, name), "utf8");
    const refused = await check(name, content);
    const found = refused.length > 0 ? refused : ownProblems(parse(content));
    problems.push(...found.map((problem) => `${join(FOLDER, name)}: ${problem}`));
  }
  return problems;
}

function ownProblems({ jobs }) {
  const problems = [];
  for (const { steps, strategy } of Object.values(jobs)) {
    for (const { run = "", uses } of steps) {
      if (uses !== undefined && !/@[0-9a-f]{40}$/.test(uses)) {
        problems.push(`${uses}: expected a commit behind @, because a tag can be moved`);
      }
      for (const [, script] of run.matchAll(/\bnpm (?:run )?((?<=run )[\w:-]+|test\b)/g)) {
        if (!scripts[script]) problems.push(`npm run ${script}: there is no such script`);
      }
      for (const [file] of run.matchAll(/\bscripts\/[\w/-]+\.js\b/g)) {
        if (!existsSync(file)) problems.push(`${file}: there is no such file`);
      }
    }
    const lines = engines.node.match(/(?<=[\^=])\d+/g).map(Number);
    const tested = strategy?.matrix.node;
    if (tested !== undefined && String(tested) !== String(lines)) {
      problems.push(`matrix: expected the lines of engines, ${lines}, got ${tested}`);
    }
  }
  return problems;
}

/**
 * GitHub's own parser of workflows. It is bundled first, because it imports JSON files without the
 * import attribute that Node.js requires.
 */
async function loadParser() {
  const { outputFiles } = await build({
    stdin: { contents: `export * from "@actions/workflow-parser";`, resolveDir: "." },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    logLevel: "error",
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  const parser = await import(`data:text/javascript;base64,${code}`);
  return async (name, content) => {
    const trace = new parser.NoOperationTraceWriter();
    const { context, value } = parser.parseWorkflow({ name, content }, trace);
    if (value !== undefined) await parser.convertWorkflowTemplate(context, value);
    return context.errors.getErrors().map(({ message }) => message);
  };
}
