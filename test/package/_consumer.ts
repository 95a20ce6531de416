import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run, type Ended } from "../_run.ts";

/** Installing takes as long as the registry and the machine take. */
export const PATIENCE = 180_000;

/** A user's project in a temporary folder, with the packed package installed. */
export interface Consumer {
  readonly folder: string;
  write(file: string, text: string): Promise<void>;
  /** Runs npm there. */
  npm(...args: readonly string[]): Promise<Ended>;
  /** Runs Node.js there. */
  node(args: readonly string[], env?: Record<string, string>): Promise<Ended>;
  remove(): Promise<void>;
}

/** Makes a project with the packed package and these others, each at a version or range. */
export async function givenConsumer(others: Record<string, string> = {}): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-consumer-"));
  const dependencies = { latchkey: await pack(folder), ...others };
  return install(folder, { private: true, type: "module", dependencies });
}

/** A copy of an example, as it stands, with the packed package. */
export async function givenExample(name: string): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), `latchkey-${name}-`));
  await cp(join("examples", name), folder, { recursive: true });
  const [example, { overrides }] = await Promise.all([
    readJson(join(folder, "package.json")),
    readJson("package.json"),
  ]);
  const devDependencies = { ...example.devDependencies, latchkey: await pack(folder) };
  return install(folder, { ...example, devDependencies, overrides });
}

async function install(folder: string, manifest: object): Promise<Consumer> {
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  };
  await write("package.json", JSON.stringify(manifest));
  const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"];
  const { code, stderr } = await run("npm", ["install", ...flags], folder);
  if (code !== 0) throw new Error(`npm install ended with ${code}: ${stderr}`);
  return {
    folder,
    write,
    npm: (...args) => run("npm", args, folder),
    node: (args, env) => run(process.execPath, args, folder, env),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

// oxlint-disable-next-line typescript/no-explicit-any -- manifests of every shape
async function readJson(file: string): Promise<any> {
  return JSON.parse(await readFile(file, "utf8"));
}

/** The version installed here, so that consumers use the one that other tests use. */
export async function installed(name: string): Promise<string> {
  return (await readJson(`node_modules/${name}/package.json`)).version;
}

/** Without scripts, because another test may be reading files that a build would remove. */
async function pack(folder: string): Promise<string> {
  const flags = ["--json", "--ignore-scripts", `--pack-destination=${folder}`];
  const { code, stdout, stderr } = await run("npm", ["pack", ...flags], process.cwd());
  if (code !== 0) throw new Error(`npm pack ended with ${code}: ${stderr}`);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return `file:${join(folder, filename)}`;
}
