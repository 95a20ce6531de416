import { expect, test } from "vitest";
import { exec, inModule } from "./_exec.ts";

const MISTAKE = (token: string) => `
  const { LATCHKEY_URL: url } = process.env;
  const headers = { Authorization: "Bearer ${token}", "Content-Type": "application/json" };
  const call = (path, body) => fetch(url + path, { method: "POST", headers, body });
  await call("/v2/keys.createKey", JSON.stringify({ apiId: "api_local", expires: 1790000000 }));
  await call("/_latchkey/reset");
`;

test("exec --fail-on findings exits with 1 after a finding of any workspace, even after a reset", async () => {
  const { code, stderr } = await exec(
    inModule(MISTAKE("of_one")),
    "--isolate",
    "--fail-on",
    "findings",
  );

  expect(code).toBe(1);
  expect(stderr).toContain("latchkey: found 1 mistake in how the program calls the service:\n");
  expect(stderr).toMatch(
    /^latchkey: {3}expires-in-seconds: keys\.createKey .*\nlatchkey: 1 call came: 1 × 200\n$/m,
  );
});

test.each([
  ["the code of the command", `${MISTAKE("any")}; process.exit(7)`, [], 7],
  ["0 if the rule is turned off", MISTAKE("any"), ["--ignore-finding", "expires-in-seconds"], 0],
  ["0 if the finding was cleared", clearing(), [], 0],
])("exec --fail-on findings exits with %s", async (_what, code, flags, expected) => {
  const ended = await exec(inModule(code), "--fail-on", "findings", ...flags);

  expect(ended.code).toBe(expected);
});

function clearing(): string {
  return `${MISTAKE("any").replace('await call("/_latchkey/reset");', "")}
    await fetch(url + "/_latchkey/findings", { method: "DELETE", headers });`;
}

test("exec refuses a --fail-on that it does not know", async () => {
  const { code, stderr } = await exec("0", "--fail-on", "finding");

  expect(code).toBe(2);
  expect(stderr).toContain('--fail-on: expected "findings"');
});
