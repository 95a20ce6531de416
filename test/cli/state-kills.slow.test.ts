import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Fixture } from "../../src/index.ts";
import { startCli, type RunningCli } from "../_cli.ts";
import { createKey, givenEmulator, type Door } from "../_emulator.ts";
import { givenFolder } from "./_folder.ts";

const door: Door = { fetch: (request) => fetch(request) };

/** How often the process is killed; set `KILLS=50` for a thorough run. */
const KILLS = Number(process.env["KILLS"] ?? 3);

test(
  `a state file is intact after SIGKILL, and the next start removes what is left, ${KILLS} times`,
  { timeout: KILLS * 10_000 },
  async () => {
    const folder = await givenFolder();
    const state = join(folder, "state.json");
    let made = 0;
    for (let round = 0; round < KILLS; round += 1) {
      await using cli = await startCli(["--state", state, "--generate", "1500", "--log", "silent"]);
      const saved = await savedNames(state);
      await untilNoOtherFiles(folder);
      // The saved keys are the first ones that the client made, in their order.
      expect(saved).toEqual(Array.from(saved, (_, index) => `made ${index}`));
      expect(saved.length).toBeLessThanOrEqual(made);
      made = await createUntilKilled(cli, saved.length);
    }
    const fixture = JSON.parse(await readFile(state, "utf8")) as Fixture;
    expect((await givenEmulator({ fixtures: [fixture] })).keys.count()).toBe(fixture.keys?.length);
  },
);

/** Waits until the folder has the state and its lock alone. Only a save in progress may have another file. */
async function untilNoOtherFiles(folder: string): Promise<void> {
  await expect.poll(() => readdir(folder)).toEqual(["state.json", "state.json.lock"]);
}

/** The names of the client's keys in the state file. */
async function savedNames(file: string): Promise<(string | undefined)[]> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return [];
  const { keys = [] } = JSON.parse(text) as Fixture;
  return keys.filter(({ name }) => name?.startsWith("made ")).map(({ name }) => name);
}

/** Creates one key after the other until the process is killed; resolves to the most that may exist. */
async function createUntilKilled(
  cli: RunningCli & { readonly ready: { readonly url: string } },
  from: number,
): Promise<number> {
  const killed = once(cli.child, "close");
  setTimeout(() => cli.child.kill("SIGKILL"), 200 + Math.random() * 800);
  let next = from;
  for (;;) {
    const body = { apiId: "api_local", name: `made ${next}` };
    next += 1;
    const answer = createKey(door, body, { origin: cli.ready.url });
    if ((await answer.catch(() => undefined)) === undefined) break;
  }
  await killed;
  return next;
}
