import { introduce } from "./banner.ts";
import { gatherOptions } from "./config.ts";
import { DEFAULT_PORT } from "./options.ts";
import { start } from "./start.ts";

/**
 * Serves until a signal ends it.
 * @throws UsageError for options and fixtures, ListenError for the address
 */
export async function runServe(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const options = await gatherOptions(flags, process.env);
  const { emulator, server } = await start(options, { port: DEFAULT_PORT, log: "text" });
  const stopped = untilStopped();

  const { ready, banner } = introduce(emulator, server);
  process.stdout.write(`${options.json ? JSON.stringify(ready) : banner}\n`);
  await stopped;
  await server.close();
  return 0;
}

/**
 * Resolves at the first signal, and when a parent that keeps a channel to this process goes; a
 * second signal ends the process at once.
 */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = () => {
      isStopping = true;
      // A listener keeps the channel open, and an open channel keeps the process.
      process.off("disconnect", stop);
      resolve();
    };
    process.on("disconnect", stop);
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(code);
        stop();
      });
    }
  });
}
