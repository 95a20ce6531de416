// `npm start`: runs latchkey with the fixture of the demo and generated keys, and then makes some calls as
// a client would, so that the web page has something to show. Arguments go to `latchkey serve`.
import { spawn } from "node:child_process";
import makeDemoCalls from "./demo-calls.js";

const demo = ["--fixture", "fixtures/demo.yaml", "--generate", "500", "--random-seed", "1435"];
const latchkey = spawn(
  process.execPath,
  ["bin/latchkey.js", "serve", ...demo, ...process.argv.slice(2)],
  { stdio: ["inherit", "pipe", "inherit"] },
);
latchkey.on("close", (code) => {
  process.exitCode = code ?? 1;
  // It could not start, because its port is in use or an option is wrong.
  if (code && output !== undefined)
    console.error("npm start: options stand behind --, as in `npm start -- --port 4011`");
});
// Ctrl-C reaches latchkey too, which then ends by itself; this process waits for it.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => latchkey.kill(signal));

let output = "";
latchkey.stdout.on("data", (chunk) => {
  process.stdout.write(chunk);
  if (output === undefined) return;
  output += chunk;
  const url = /^ {2}url {4}(\S+)$/m.exec(output)?.[1];
  if (url === undefined) return;
  output = undefined;
  makeDemoCalls(callerOf(url)).catch((error) =>
    console.error(`npm start: no calls were made: ${error.message}`),
  );
});

function callerOf(url) {
  return async (operation, body, token = "acme_admin") => {
    const reply = await fetch(`${url}/v2/${operation}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return reply.json();
  };
}
