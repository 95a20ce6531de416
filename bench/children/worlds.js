// Times reset and restore of a world, in a separate process. Settings come as JSON on stdin; times (ms)
// go to stdout.
import { json } from "node:stream/consumers";
import { createEmulator } from "../../dist/index.js";

const API = "api_local";
const CREATED = 10;
const HEAT_UP = 3;

const { keys, rounds } = await json(process.stdin);
const emulator = await createEmulator({ generate: { count: keys }, randomSeed: 1 });
const snapshot = emulator.snapshot();
const result = {
  reset: await time(() => emulator.reset()),
  restore: await time(() => emulator.restore(snapshot)),
  restoreCopy: await time(() => emulator.restore(structuredClone(snapshot))),
};
process.stdout.write(JSON.stringify(result));

async function time(work) {
  const times = [];
  for (let round = -HEAT_UP; round < rounds; round += 1) {
    await change();
    const start = performance.now();
    await work();
    if (round >= 0) times.push(performance.now() - start);
  }
  return times;
}

/** Makes changes as a test would, before the world is reset. */
async function change() {
  for (let index = 0; index < CREATED; index += 1) {
    await emulator.keys.create({ apiId: API, name: "changed", externalId: `user_${index}` });
  }
  const [{ id }] = emulator.keys.all();
  await emulator.keys.update((q) => q.where({ id }), {
    data: (key) => void (key.enabled = false),
  });
  emulator.keys.delete((q) => q.where({ name: "changed", ownerId: "user_1" }));
}
