import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { exec, inModule } from "./_exec.ts";

/** Creates a key, resets, and verifies a key for which the token has no right. */
const RUN = inModule(`
  const { LATCHKEY_URL: url, LATCHKEY_TOKEN: token } = process.env;
  const headers = { Authorization: "Bearer " + token, "Content-Type": "application/json" };
  const call = (path, body) =>
    fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  await call("/v2/keys.createKey", { apiId: "api_local" });
  const answer = await call("/v2/apis.listKeys", { apiId: "api_local" });
  console.log(answer.status);
`);
const LISTED = ["--token", "root_token=api.*.create_key,api.*.delete_key"];

test("exec --permissions prints what each token needed, as a list and for a fixture", async () => {
  const { code, stderr, stdout } = await exec(RUN, "--permissions");

  expect([code, stdout]).toEqual([0, "200\n"]);
  expect(stderr).toBe(
    [
      "latchkey: permissions: unlisted[0] needs 3 permissions",
      "latchkey:   api.api_local.create_key",
      "latchkey:   api.api_local.read_api",
      "latchkey:   api.api_local.read_key",
      'latchkey:   in a fixture: { token: …, permissions: ["api.api_local.create_key", "api.api_local.read_api", "api.api_local.read_key"] }',
      'latchkey:   the same as URNs: { token: …, permissions: ["unkey:v1:ws_local:projects/*/keyspaces/*#read", "unkey:v1:ws_local:projects/*/keyspaces/*/keys/*#read", "unkey:v1:ws_local:projects/*/keyspaces/*/keys/*#write"] }',
      "latchkey: 2 calls came: 2 × 200",
      "",
    ].join("\n"),
  );
  const [lines] = stderr.split("latchkey: 2 calls came");
  expect(await readFile("docs/needed-permissions.md", "utf8")).toContain(`\`\`\`\n${lines}\`\`\``);
});

test("exec --permissions=any-api names any API, what a listed token never needed, and what it lacks", async () => {
  const { code, stderr, stdout } = await exec(RUN, "--permissions=any-api", ...LISTED);

  expect([code, stdout]).toEqual([0, "404\n"]);
  expect(stderr.split("\n").filter((line) => !line.startsWith("latchkey: warning: "))).toEqual([
    "latchkey: permissions: tokens[0] needs 1 permission",
    "latchkey:   api.*.create_key",
    'latchkey:   in a fixture: { token: …, permissions: ["api.*.create_key"] }',
    'latchkey:   the same as URNs: { token: …, permissions: ["unkey:v1:ws_local:projects/*/keyspaces/*/keys/*#write"] }',
    "latchkey:   it has, and never needed: api.*.delete_key",
    "latchkey:   it lacks api.*.read_key: apis.listKeys was refused once",
    "latchkey:   it lacks api.*.read_api: apis.listKeys was refused once",
    "latchkey: 2 calls came: 1 × 200, 1 × 404",
    "",
  ]);
});

test("exec --permissions says that no call needed any", async () => {
  expect((await exec("0", "--permissions")).stderr).toContain(
    "latchkey: permissions: no call needed any\n",
  );
});

test("exec --permissions with another value is refused", async () => {
  const { code, stderr } = await exec("0", "--permissions=all");

  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('--permissions: expected "each-api" or "any-api", got "all"'),
  ]);
});
