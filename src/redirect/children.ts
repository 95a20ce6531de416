import children, { ChildProcess } from "node:child_process";
import workers from "node:worker_threads";
import { withFlag } from "./node-options.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The variables that redirect a program. */
interface Variables {
  readonly LATCHKEY_AS: string;
  readonly LATCHKEY_URL: string;
  /** What NODE_OPTIONS needs. */
  readonly flag: string;
}

/**
 * Changes how processes and workers are made: one with an `env` that lacks the variables gets them. An empty
 * LATCHKEY_AS asks for a process that is not redirected.
 */
export function redirectChildren({ flag, ...others }: Variables): void {
  const missing = (env: Env): Record<string, string> =>
    env["LATCHKEY_AS"] === ""
      ? {}
      : {
          ...Object.fromEntries(Object.entries(others).filter(([name]) => !env[name])),
          NODE_OPTIONS: withFlag(env["NODE_OPTIONS"], flag),
        };
  const withMissing = (value: unknown) =>
    hasEnv(value) ? { ...value, env: { ...value.env, ...missing(value.env) } } : value;

  // `spawn`, `exec`, `execFile` and `fork` all end here. It has the variables as texts like `NAME=value`.
  const { prototype } = ChildProcess as unknown as { prototype: { spawn: Spawn } };
  const { spawn } = prototype;
  prototype.spawn = function spawnInstead(options) {
    const { envPairs = [] } = options;
    const env = Object.fromEntries(envPairs.map(splitPair));
    const added = Object.entries(missing(env)).map((pair) => pair.join("="));
    const kept = envPairs.filter(
      (pair) => splitPair(pair)[0] !== "NODE_OPTIONS" || added.length === 0,
    );
    return spawn.call(this, { ...options, envPairs: [...kept, ...added] });
  };
  for (const name of ["spawnSync", "execFileSync", "execSync"] as const) {
    children[name] = new Proxy(children[name], {
      apply: (target, self, args) => Reflect.apply(target, self, args.map(withMissing)),
    }) as never;
  }
  workers.Worker = new Proxy(workers.Worker, {
    construct: (target, args, made) => Reflect.construct(target, args.map(withMissing), made),
  });
}

type Spawn = (this: ChildProcess, options: { envPairs?: readonly string[] }) => unknown;

function splitPair(pair: string): [name: string, value: string] {
  const end = pair.indexOf("=", 1);
  return [pair.slice(0, end), pair.slice(end + 1)];
}

/** Whether it is an object with variables. A worker may also share those of its parent, by a symbol. */
function hasEnv(value: unknown): value is { readonly env: Env } {
  if (typeof value !== "object" || value === null || !("env" in value)) return false;
  return typeof value.env === "object" && value.env !== null;
}
