import { spawn, spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";
import type { Locator } from "playwright";
import { afterAll, expect, test } from "vitest";
import { givenBrowser } from "../_chromium.ts";
import { givenExample, linkExample, PATIENCE, type Consumer } from "./_consumer.ts";

const examples = new Map<string, Promise<Consumer>>();
const given = (name: string): Promise<Consumer> => {
  // Jest is not installed here.
  const example = examples.get(name) ?? (name === "sweep" ? givenExample : linkExample)(name);
  examples.set(name, example);
  return example;
};
afterAll(async () => {
  for (const example of examples.values()) await (await example).remove();
});

test("the tests of the package cover every example", async () => {
  const folders = (await readdir("examples")).filter((name) => !name.endsWith(".md"));

  expect(folders).toEqual([
    "demo",
    "frontend",
    "gateway",
    "guarded-api",
    "integration-test",
    "own-operations",
    "sweep",
  ]);
});

test.each(["frontend", "gateway", "integration-test", "own-operations"])(
  "examples/%s: its tests pass",
  async (name) => {
    const { code, stdout, stderr } = await (await given(name)).npm("test");

    expect(stripVTControlCharacters(stdout + stderr)).toMatch(
      /(?:Tests +[35] passed|# pass 2\n# fail 0)/,
    );
    expect(code).toBe(0);
  },
  PATIENCE,
);

test(
  "examples/guarded-api: its suite and its sweep pass in process, against a process, and in Python",
  async () => {
    // npm runs `python3` after the tests in JavaScript; if there is none, the output says so.
    const { code, stdout, stderr } = await (await given("guarded-api")).npm("test");

    const output = stripVTControlCharacters(stdout + stderr);
    expect(output).toMatch(/Tests +11 passed/);
    expect(output).toMatch(/Ran 5 tests in .*\n\nOK/);
    expect(code).toBe(0);
  },
  PATIENCE,
);

test.each([
  ["vitest", /Tests +1 passed/],
  ["node", /# pass 2\n# fail 0/],
])(
  "examples/sweep: the program passes whichever call is answered badly (%s)",
  async (script, passed) => {
    const { code, stdout, stderr } = await (await given("sweep")).npm("run", script);

    expect(stripVTControlCharacters(stdout + stderr)).toMatch(passed);
    expect(code).toBe(0);
  },
  PATIENCE,
);

test.for(["jest", "pytest", "go"])(
  "examples/sweep: a command is swept (%s)",
  { timeout: PATIENCE },
  async (name, { skip }) => {
    const { scripts } = JSON.parse(await readFile("examples/sweep/package.json", "utf8"));
    const command: string[] = scripts[name].replace("latchkey sweep -- ", "").split(" ");
    const isMissing = spawnSync(command[0] ?? "", ["version"]).error !== undefined;
    skip(isMissing, `this machine has no ${name}`);

    // The tests above try all 24 cases.
    const sweep = ["latchkey", "sweep", "--most", "3", "--", ...command];
    const { code, stdout, stderr } = await (await given("sweep")).npm("exec", "--", ...sweep);

    expect(stdout + stderr).toMatch(/^3 calls, 3 cases: 0 wrong, /m);
    expect(code).toBe(0);
  },
);

test("examples/guarded-api: the Python file is short, and imports the standard library alone", async () => {
  const lines = (await readFile("examples/guarded-api/latchkey.py", "utf8")).split("\n");
  const imported = lines.flatMap((line) => /^(?:import|from) ([\w.]+)/.exec(line)?.[1] ?? []);

  expect(lines.length).toBeLessThan(80);
  expect(imported).toEqual([
    "json",
    "subprocess",
    "urllib.error",
    "urllib.parse",
    "urllib.request",
  ]);
});

test(
  "examples/frontend: msw's service worker answers its page, which sends no request elsewhere",
  async () => {
    await using page = await start("frontend", ["--serve=0"], /http:\/\/127\.0\.0\.1:\d+/);
    await using browser = await givenBrowser();
    const tab = await browser.newPage();
    const trouble: string[] = [];
    tab.on("pageerror", (error) => trouble.push(String(error)));
    tab.on("console", (message) => {
      if (message.type() === "error") trouble.push(message.text());
    });
    const hosts = new Set<string>();
    tab.on("requestfinished", (request) => hosts.add(new URL(request.url()).host));

    await tab.goto(page.url);
    await tab.getByText("3 keys").waitFor();
    await tab.getByLabel("Name").fill("Made on the page");
    await tab.getByRole("button", { name: "Create" }).click();
    await tab.getByText("4 keys").waitFor();

    expect(await tab.locator("output").textContent()).toMatch(/^[1-9A-HJ-NP-Za-km-z]{22}$/);
    expect(await tab.getByRole("listitem").last().textContent()).toContain("Made on the page");
    expect(trouble).toEqual([]);
    expect([...hosts].sort()).toEqual([new URL(page.url).host, "api.example.com"]);
  },
  PATIENCE,
);

test(
  "examples/frontend: the web page beside it shows its calls, and changes what it gets",
  async () => {
    await using page = await start("frontend", ["--serve=0"], /http:\/\/127\.0\.0\.1:\d+/);
    await using browser = await givenBrowser();
    const tab = await browser.newPage();
    const trouble: string[] = [];
    tab.on("pageerror", (error) => trouble.push(String(error)));
    tab.on("console", (message) => {
      if (message.type() === "error") trouble.push(message.text());
    });
    await tab.goto(page.url);
    await tab.getByText("3 keys").waitFor();
    await tab.addStyleTag({ content: "* { color: rgb(1, 2, 3) !important; }" });
    const styleOf = (place: Locator) =>
      place.evaluate((element) => {
        const { color, fontFamily } = getComputedStyle(element);
        return { color, fontFamily };
      });
    const before = await styleOf(tab.locator("h1"));

    await tab.getByRole("button", { name: "Show latchkey" }).click();
    const latchkey = tab.locator("iframe").contentFrame();
    await latchkey.getByRole("link", { name: "First key" }).waitFor();
    const calls = latchkey.getByRole("region", { name: "Calls", exact: true });
    await calls.getByRole("button", { name: /^Calls/ }).click();

    await tab.getByLabel("Name").fill("For a day");
    await tab.getByRole("button", { name: "Create" }).click();
    await calls.getByText("keys.createKey").first().waitFor();
    await tab.getByRole("button", { name: "Verify" }).click();
    await tab.locator("#outcome", { hasText: "VALID" }).waitFor();

    await latchkey.getByRole("button", { name: "no faults" }).click();
    await latchkey.getByRole("button", { name: "The next call fails (500)" }).click();
    await latchkey.getByText("1 fault").first().waitFor();
    await tab.getByRole("button", { name: "Verify" }).click();
    await tab.locator("#outcome", { hasNotText: "VALID" }).waitFor();

    await latchkey.locator("[popovertarget=clock]").click();
    await latchkey.getByRole("button", { name: "1 day" }).click();
    await latchkey.locator("[popovertarget=clock]", { hasText: "moved" }).waitFor();
    await tab.getByRole("button", { name: "Verify" }).click();
    await tab.locator("#outcome", { hasText: "EXPIRED" }).waitFor();

    // A view of the page is no step of the frontend.
    const address = tab.url();
    await latchkey.getByRole("link", { name: "Roles" }).click();
    const heading = latchkey.getByRole("heading", { name: "Roles", exact: true }).first();
    await heading.waitFor();
    expect([tab.url(), await tab.evaluate("history.length")]).toEqual([address, 2]);
    expect(await styleOf(tab.locator("h1"))).toEqual(before);
    const own = await styleOf(heading);
    expect(own).not.toMatchObject({ color: before.color });
    // The injected fault.
    expect(trouble).toEqual([expect.stringContaining("status of 500")]);
  },
  PATIENCE,
);

test(
  "examples/demo: every start has the same keys",
  async () => {
    const list = async () => {
      await using demo = await start("demo", ["--port=0"], /http:\/\/localhost:\d+/);
      const response = await fetch(`${demo.url}/v2/apis.listKeys`, {
        method: "POST",
        headers: { Authorization: "Bearer demo", "Content-Type": "application/json" },
        body: JSON.stringify({ apiId: "api_forecast" }),
      });
      return ((await response.json()) as { data: { name: string }[] }).data;
    };

    const world = await list();

    expect(world.map(({ name }) => name)).toContain("Frost alerts");
    expect(await list()).toEqual(world);
  },
  PATIENCE,
);

test(
  "examples/own-operations: its operations are served over HTTP",
  async () => {
    const env = { PORT: "0" };
    await using own = await start("own-operations", [], /http:\/\/localhost:\d+/, env);
    const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
    const post = async (operation: string) => {
      const body = JSON.stringify({ slug: "web" });
      const url = `${own.url}/v2/projects.${operation}`;
      return (await fetch(url, { method: "POST", headers, body })).json();
    };

    const { data } = await post("createProject");

    expect(data.slug).toBe("web");
    expect(await post("getProject")).toMatchObject({ data });
  },
  PATIENCE,
);

interface Started extends AsyncDisposable {
  readonly url: string;
}

/** Runs `npm start` until the end of the test; `url` is what it prints. */
async function start(
  name: string,
  args: readonly string[],
  url: RegExp,
  env: Record<string, string> = {},
): Promise<Started> {
  const { folder } = await given(name);
  // In its own process group, so that npm and its children can be ended together.
  const child = spawn("npm", ["start", "--", ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    detached: true,
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let output = "";
  const found = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (data) => {
        output += data;
        const match = url.exec(output);
        if (match !== null) resolve(match[0]);
      });
    }
    void closed.then(() => reject(new Error(`npm start ended: ${output}`)));
  });
  return {
    url: found,
    async [Symbol.asyncDispose]() {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
      await closed;
    },
  };
}
