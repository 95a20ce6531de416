// Makes a key, lists it, verifies it, and calls what latchkey does not serve, with `fetch`.
async function post(name, value) {
  const reply = await fetch(`https://api.unkey.com/v2/${name}`, {
    method: "POST",
    headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
    body: JSON.stringify(value),
  });
  return { status: reply.status, ...(await reply.json()) };
}

const { data: made } = await post("keys.createKey", { apiId: "api_local" });
const { data: listed } = await post("apis.listKeys", { apiId: "api_local" });
if (listed.some(({ keyId }) => keyId === made.keyId)) process.stdout.write("listed\n");
const { data: verified } = await post("keys.verifyKey", { key: made.key });
if (verified.valid) process.stdout.write("valid\n");
const { status } = await post("projects.getProject", { project: "shop" });
process.stdout.write(`${status}\n`);
