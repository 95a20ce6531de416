import { type ChildProcess, spawn as spawnPlain } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import spawn from "cross-spawn";
import { startFailure } from "./program.ts";

/** How much of the output of a command is kept, in UTF-16 units: its end. */
const MAX_OUTPUT = 65_536;

/** A command that leads a process group, so that one signal ends it and all that it has started. */
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

  /** The end of what it has printed. */
  get output(): string {
    return this.#output;
  }

  /** Resolves when the command has ended: to the reason if it failed, and else to undefined. */
  async failure(): Promise<string | undefined> {
    const why = await once(this.#child, "exit").then(
      ([code, signal]) =>
        code === 0 ? undefined : `it ended with ${signal ?? `exit code ${code}`}`,
      startFailure,
    );
    // The last of its output comes behind its end. A process that it has left may keep the output open.
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
        // All of them have ended.
      }
    }
  }
}
