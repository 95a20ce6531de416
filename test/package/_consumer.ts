import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { run, type Ended } from "../_run.ts";

/** Installing takes as long as the registry and the machine take. */
export const PATIENCE = 180_000;

/** A user's project in a temporary folder. */
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
  const dependencies = { latchkey: await (packed ??= pack()), ...others };
  return install(folder, { private: true, type: "module", dependencies });
}

/**
 * Makes a project with the packed package, and links to the packages that it and these others need, as
 * they are installed here. That takes no npm and no network.
 */
export async function givenUnpacked(...others: readonly string[]): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-unpacked-"));
  const unpacked = join(folder, "node_modules", "latchkey");
  const tarball = fileURLToPath(await (packed ??= pack()));
  await mkdir(unpacked, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", unpacked, "--strip-components=1"], folder);
  const { dependencies } = await readJson(join(unpacked, "package.json"));
  for (const name of [...Object.keys(dependencies), ...others]) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(resolve("node_modules", name), link);
  }
  const consumer = consumerIn(folder);
  await consumer.write("package.json", '{ "private": true, "type": "module" }');
  return consumer;
}

/**
 * A copy of an example in which its packages are linked: this one as it is built, and the others as they
 * are installed here. It has no package that its manifest does not name.
 */
export async function linkExample(name: string): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), `latchkey-${name}-`));
  await cp(join("examples", name), folder, { recursive: true });
  const { dependencies, devDependencies } = await readJson(join(folder, "package.json"));
  const link = async (target: string, path: string) => {
    await mkdir(dirname(join(folder, "node_modules", path)), { recursive: true });
    await symlink(resolve(target), join(folder, "node_modules", path));
  };
  for (const each of Object.keys({ ...dependencies, ...devDependencies })) {
    // The latest client 2.x is installed here under another name.
    const installedAs = each === "@unkey/api" ? "unkey-api-2" : each;
    const target = each === "latchkey" ? "." : join("node_modules", installedAs);
    await link(target, each);
    const { bin = {} } = await readJson(join(target, "package.json"));
    for (const [command, file] of Object.entries<string>(bin))
      await link(join(target, file), join(".bin", command));
  }
  return consumerIn(folder);
}

/** A copy of an example, as it stands, with the packed package installed. */
export async function givenExample(name: string): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), `latchkey-${name}-`));
  await cp(join("examples", name), folder, { recursive: true });
  const [example, { overrides }] = await Promise.all([
    readJson(join(folder, "package.json")),
    readJson("package.json"),
  ]);
  const devDependencies = { ...example.devDependencies, latchkey: await (packed ??= pack()) };
  return install(folder, { ...example, devDependencies, overrides });
}

async function install(folder: string, manifest: object): Promise<Consumer> {
  const consumer = consumerIn(folder);
  await consumer.write("package.json", JSON.stringify(manifest));
  const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"];
  const { code, stderr } = await run("npm", ["install", ...flags], folder);
  if (code !== 0) throw new Error(`npm install ended with ${code}: ${stderr}`);
  return consumer;
}

function consumerIn(folder: string): Consumer {
  return {
    folder,
    async write(file, text) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    },
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

let packed: Promise<string> | undefined;

/**
 * Packs once for all files of a worker. Without scripts, because another test may be reading files that
 * a build would remove.
 */
async function pack(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-packed-"));
  process.once("exit", () => rmSync(folder, { recursive: true }));
  const flags = ["--json", "--ignore-scripts", `--pack-destination=${folder}`];
  const { code, stdout, stderr } = await run("npm", ["pack", ...flags], process.cwd());
  if (code !== 0) throw new Error(`npm pack ended with ${code}: ${stderr}`);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return pathToFileURL(join(folder, filename)).href;
}
