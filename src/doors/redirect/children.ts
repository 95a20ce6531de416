import children, { ChildProcess } from "node:child_process";
import workers, { SHARE_ENV } from "node:worker_threads";
import { withFlag } from "./node-options.ts";

type Env = Readonly<Record<string, string | undefined>>;
type Args = unknown[];

interface Variables {
  readonly LATCHKEY_AS: string;
  readonly LATCHKEY_URL: string;
  readonly flag: string;
}

/**
 * Changes how processes and workers are created: an environment that lacks the variables gets them, even
 * if the program has removed them from its own environment. An empty LATCHKEY_AS asks for a process that
 * is not redirected.
 */
export function redirectChildren({ flag, ...others }: Variables): void {
  const missing = (env: Env): Record<string, string> =>
    env["LATCHKEY_AS"] === ""
      ? {}
      : {
          ...Object.fromEntries(Object.entries(others).filter(([name]) => !env[name])),
          NODE_OPTIONS: withFlag(env["NODE_OPTIONS"], flag),
        };

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
      apply(target, self, args: Args) {
        // Of these, only `execSync` has no list of arguments before its options; for the others the list
        // is optional.
        const place = name === "execSync" || isOptions(args[1]) ? 1 : 2;
        // Node also takes variables that `env` inherits.
        const changed = changeEnv(args, place, (env) => ({ __proto__: env, ...missing(env) }));
        return Reflect.apply(target, self, changed);
      },
    }) as never;
  }
  workers.Worker = new Proxy(workers.Worker, {
    construct(target, args: Args, made) {
      // With `env`, a worker reads NODE_OPTIONS again. Without it, it may have no preload.
      const changed = changeEnv(args, 1, (env) => ({ ...env, ...missing(env) }));
      return Reflect.construct(target, changed, made);
    },
  });
  const { execve } = process as { execve?: (...args: Args) => never };
  if (execve !== undefined) {
    Object.assign(process, {
      execve(file: unknown, args: unknown, env: Env = process.env) {
        return execve.call(process, file, args, { ...env, ...missing(env) });
      },
    });
  }

  /** The arguments with another `env` in the options at their place. */
  function changeEnv(args: Args, place: number, change: (env: Env) => object): Args {
    const options = args[place] ?? {};
    const env = isOptions(options) ? options["env"] || process.env : undefined;
    // A worker with `SHARE_ENV` reads the variables of this process.
    if (env === SHARE_ENV) Object.assign(process.env, missing(process.env));
    if (!isOptions(env)) return args;
    return Object.assign([...args], { [place]: { ...options, env: change(env as Env) } });
  }
}

type Spawn = (this: ChildProcess, options: { envPairs?: readonly string[] }) => unknown;

function splitPair(pair: string): [name: string, value: string] {
  const end = pair.indexOf("=", 1);
  return [pair.slice(0, end), pair.slice(end + 1)];
}

function isOptions(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
