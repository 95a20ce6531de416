import { type ChildProcess, spawn as spawnPlain } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import spawn from "cross-spawn";
import { startFailure } from "./program.ts";

/** How much of the end of the output is kept (UTF-16 code units). */
const MAX_OUTPUT = 65_536;

/** A command in its own process group, so that one signal ends it and every process it started. */
export class CommandGroup {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #output = "";

  constructor([program = "", ...args]: readonly string[], env: NodeJS.ProcessEnv) {
    const detached = process.platform !== "win32";
    this.#child = spawn(program, args, { detached, env, stdio: ["ignore", "pipe", "pipe"] });
    this.#closed = new Promise((resolve) => this.#child.on("close", resolve));
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (more: string) => {
        this.#output = (this.#output + more).slice(-MAX_OUTPUT);
      });
  }

  /** The end of the output, of stdout and stderr. */
  get output(): string {
    return this.#output;
  }

  /** Waits until the command ends. Resolves to the reason if it failed, or to undefined. */
  async failure(): Promise<string | undefined> {
    const why = await once(this.#child, "exit").then(
      ([code, signal]) =>
        code === 0 ? undefined : `it ended with ${signal ?? `exit code ${code}`}`,
      startFailure,
    );
    // The last output may arrive after the exit. A process that the command left may keep the pipe open.
    await Promise.race([this.#closed, setTimeout(1_000, undefined, { ref: false })]);
    return why;
  }

  end(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (process.platform === "win32") spawnPlain("taskkill", ["/pid", String(pid), "/t", "/f"]);
    else {
      try {
        process.kill(-pid, "SIGKILL");
      } catch {
        // All processes of the group have ended.
      }
    }
  }
}
