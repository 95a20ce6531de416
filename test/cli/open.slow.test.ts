import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli, startBanner, startUntil } from "../_cli.ts";
import { givenFolder } from "./_folder.ts";

/** A stand-in for the browser, which records the URLs that it is asked to open. */
async function givenNote() {
  const folder = await givenFolder({ browser: `#!/bin/sh\nprintf '%s\\n' "$@" >> "$0.note"\n` });
  const browser = join(folder, "browser");
  await chmod(browser, 0o755);
  const env = { BROWSER: browser, DISPLAY: "" };
  return { env, read: () => readFile(`${browser}.note`, "utf8").catch(() => "") };
}

test("--open opens the web page with the token, and no shell expands the URL", async () => {
  const note = await givenNote();
  const token = "a$(touch${IFS}gone)'&;\"%23";
  const args = ["--port=0", "--open", "--token", token];
  await using running = await startUntil(/curl .*\n/, args, { env: note.env });

  await expect.poll(note.read).not.toBe("");

  const [line = "", ...others] = (await note.read()).trimEnd().split("\n");
  expect(others).toEqual([]);
  const { hash, origin } = new URL(line);
  expect(running.output.stdout).toContain(`  url    ${origin}\n`);
  expect(running.output.stdout).toContain(`  page   ${line}\n`);
  expect(new URLSearchParams(hash.slice(1)).get("token")).toBe(token);
});

test("exec --open opens the web page, without a token if none is listed", async () => {
  const note = await givenNote();
  const wait = ["--", process.execPath, "-e", "setTimeout(() => {}, 1500)"];

  const { code } = await runCli(["exec", "--open", ...wait], { env: note.env });

  expect(code).toBe(0);
  await expect.poll(note.read).toMatch(/^http:\/\/localhost:\d+\/\n$/);
});

test("--open leaves a given control token out of the URL", async () => {
  const controlToken = "given_control_token";
  const wait = ["--", process.execPath, "-e", "setTimeout(() => {}, 1500)"];
  const [byServe, byExec] = [await givenNote(), await givenNote()];
  const env = (note: typeof byServe) => ({ ...note.env, LATCHKEY_CONTROL_TOKEN: controlToken });
  await using running = await startUntil(/curl .*\n/, ["--port=0", "--open"], {
    env: env(byServe),
  });
  await runCli(["exec", "--open", ...wait], { env: env(byExec) });

  for (const { read } of [byServe, byExec]) {
    await expect.poll(read).toMatch(/^http:\/\/localhost:\d+\/\n$/);
  }
  expect(running.output.stdout).not.toContain(controlToken);
});

test("--open without a browser still starts the emulator", async () => {
  const args = ["--port=0", "--open"];
  await using running = await startUntil(/curl .*\n/, args, {
    env: { BROWSER: "/no/such/browser", DISPLAY: "" },
  });
  const [, url = ""] = /url +(\S+)/.exec(running.output.stdout) ?? [];

  expect((await fetch(url)).status).toBe(200);
  expect(await running.stop()).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining("at "),
  });
});

test.each(["--no-ui", "--no-control"])(
  "%s refuses --open, and the banner names no web page",
  async (flag) => {
    const refused = await runCli(["--open", flag]);
    await using running = await startBanner(["--port=0", flag]);

    expect(refused).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `latchkey: --open cannot be used with ${flag}: there would be no page to open\n`,
    });
    expect(running.output.stdout).not.toContain("page");
  },
);
