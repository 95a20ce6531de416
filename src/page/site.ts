import { createEmulator } from "../emulator/create-emulator.ts";
import type { Fixture } from "../seed/format.ts";
import { trusted } from "../seed/read.ts";
import { connectionTo } from "./data/in-browser.ts";
import { KeptWorld } from "./data/kept-world.ts";
import type { SiteSettings } from "./data/site-settings.ts";

// Starts a static site: an emulator in the browser of the visitor, and then the page.

const settings: SiteSettings = JSON.parse(document.querySelector("#settings")?.textContent ?? "");
const world: Promise<Fixture> = fetch("world.json").then((response) => response.json());
const kept = new KeptWorld();
const notices: string[] = [];

const restored = kept.exists ? await restore() : undefined;
trusted.add(await world);
const emulator = restored ?? (await createFrom(await world, settings.at, settings.faults));
const connection = { ...connectionTo(emulator), title: settings.title, notices, kept };
Object.assign(window, { latchkey: connection });
await load("page.js");
if (settings.hasCalls && restored === undefined) await makeCalls();

function load(file: string) {
  return import(new URL(file, import.meta.url).href);
}

async function restore() {
  try {
    const { at, snapshot } = kept.read();
    return await createFrom(snapshot, at);
  } catch (error) {
    notices.push(
      "The records that this browser keeps could not be loaded. Keep replaces them, and Start over deletes them:",
      error instanceof Error ? error.message : String(error),
    );
    return undefined;
  }
}

function createFrom(snapshot: Fixture, at: number, faults: Fixture["faults"] = []) {
  // The real time of this page starts at the build of the site, also after a reset. So the usage in the
  // charts is always recent.
  const realNow = Date.now.bind(Date);
  const offset = at - realNow();
  Date.now = () => realNow() + offset;
  const { isFrozen, latency, quirks, strict } = settings;
  const now = isFrozen ? at : undefined;
  return createEmulator({
    fixtures: [snapshot, { faults }],
    now,
    latency,
    quirks,
    strict,
    log: () => {},
  });
}

async function makeCalls(): Promise<void> {
  const module = await load("calls.js");
  // The page shows its first records before calls change them.
  for (let waits = 0; waits < 40 && document.querySelector("main td") === null; waits += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await module.default(async (operation: string, body: object, token = connection.tokens.token) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(body) };
    return (await connection.send(`v2/${operation}`, sent)).json();
  });
}
