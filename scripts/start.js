// `npm start`: runs latchkey with the fixture of the demo and made-up keys, and then makes some calls as
// a client would, so that the web page has something to show. Arguments go to `latchkey serve`.
import { spawn } from "node:child_process";

const demo = ["--fixture", "fixtures/demo.yaml", "--generate", "500", "--random-seed", "1435"];
const latchkey = spawn(
  process.execPath,
  ["bin/latchkey.js", "serve", ...demo, ...process.argv.slice(2)],
  { stdio: ["inherit", "pipe", "inherit"] },
);
latchkey.on("close", (code) => (process.exitCode = code ?? 1));
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
  play(url).catch((error) => console.error(`npm start: no calls were made: ${error.message}`));
});

/** Uses a key until its rate limit refuses, nearly uses up a limit, and makes a mistake. */
async function play(url) {
  const call = async (operation, body, token = "acme_admin") => {
    const reply = await fetch(`${url}/v2/${operation}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return reply.json();
  };
  const apiId = "api_payments";
  const { data } = await call("keys.createKey", {
    apiId,
    name: "Nightly export",
    externalId: "org_bluebird",
    roles: ["merchant"],
    credits: { remaining: 1000, refill: { interval: "daily", amount: 1000 } },
    ratelimits: [{ name: "requests", limit: 5, duration: 60_000, autoApply: true }],
  });
  for (let use = 0; use < 6; use += 1) await call("keys.verifyKey", { key: data.key });
  const email = { namespace: "email", limit: 10, duration: 3_600_000 };
  for (let use = 0; use < 9; use += 1) {
    await call("ratelimit.limit", { ...email, identifier: "org_bluebird" });
  }
  await call("ratelimit.setOverride", { ...email, identifier: "org_velora", limit: 100 });
  await call("ratelimit.limit", { ...email, identifier: "org_velora" });
  await call("keys.createKey", { apiId, name: "Refused" }, "acme_reader");
  // The mistake: a cursor of one list is sent for another one.
  const { pagination } = await call("apis.listKeys", { apiId, limit: 10 });
  await call("apis.listKeys", { apiId: "api_internal", cursor: pagination.cursor });
}
