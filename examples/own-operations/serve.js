import { createEmulator } from "latchkey";
import { loadFixture, serve } from "latchkey/node";
import { getIdentity, updateIdentity } from "./operations.js";

const files = process.argv.slice(2);
const emulator = await createEmulator({
  operations: [getIdentity, updateIdentity],
  ...(files.length > 0 ? { fixtures: await Promise.all(files.map(loadFixture)) } : {}),
});
const { url, close } = await serve(emulator, { port: Number(process.env.PORT ?? 4010) });
console.log(url);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => close());
