import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cleanEnv } from "../_cli.ts";
import { givenConsumer, installed, PATIENCE, type Consumer } from "./_consumer.ts";

const NEXT = join("node_modules", "next", "dist", "bin", "next");
const env = { NEXT_TELEMETRY_DISABLED: "1" };

/** The file that a code block of the page names in its first line. */
async function blockOf(file: string): Promise<string> {
  const page = await readFile("docs/frameworks.md", "utf8");
  return page
    .split("```js\n")
    .find((text) => text.startsWith(`// ${file}\n`))!
    .split("```")[0]!;
}

async function build({ node }: Consumer): Promise<void> {
  const { code, stderr, stdout } = await node([NEXT, "build"], env);
  expect([code, code === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
}

/** Runs `next start`, and asks for these paths. */
async function ask(folder: string, paths: readonly string[]): Promise<string[]> {
  const args = [NEXT, "start", "--port=0"];
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...cleanEnv(), ...env } });
  try {
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data) => (output += data));
    await expect.poll(() => output).toMatch(/Ready in/);
    const url = /http:\/\/localhost:\d+/.exec(output)?.[0];
    const headers = { Authorization: "Bearer weather_1" };
    const answers: string[] = [];
    for (const path of paths) answers.push(await (await fetch(url + path, { headers })).text());
    return answers;
  } finally {
    child.kill();
    await once(child, "close");
  }
}

/** The texts of `startProcess` and of the web page of an emulator in this process. */
const files = `
  import { createEmulator } from "latchkey";
  import { serve, startProcess } from "latchkey/node";
  export async function GET() {
    const { hasPage, close } = await serve(await createEmulator());
    await close();
    const process = await startProcess().then(
      ({ stop }) => stop().then(() => "started"),
      ({ message }) => message,
    );
    return Response.json({ hasPage, process });
  }
`;

test.each(["15.5.29", "16.4.6"])(
  "an application of Next.js %s brings an emulator, bundled or not",
  async (version) => {
    const react = { react: "19", "react-dom": "19" };
    const client = { "@unkey/api": await installed("unkey-api-2") };
    const consumer = await givenConsumer({ next: version, ...react, ...client });
    onTestFinished(() => consumer.remove());
    for (const file of ["instrumentation.js", "app/weather/route.js"])
      await consumer.write(file, await blockOf(file));
    await consumer.write("app/files/route.js", `export const dynamic = "force-dynamic";${files}`);
    await consumer.write(
      "app/layout.js",
      "export default ({ children }) => <html><body>{children}</body></html>;",
    );
    const packed = join(consumer.folder, "node_modules", "latchkey");
    const away = join(consumer.folder, "away");
    const weather = ["/weather", "/weather"];

    await build(consumer);
    // As where the bundle runs on another machine.
    await rename(packed, away);
    const bundled = await ask(consumer.folder, [...weather, "/files"]);
    await rename(away, packed);
    await consumer.write("next.config.mjs", await blockOf("next.config.mjs"));
    await build(consumer);
    const external = await ask(consumer.folder, [...weather, "/files"]);

    const answers = ["sunny", '{"code":"USAGE_EXCEEDED"}'];
    expect([bundled.slice(0, 2), external.slice(0, 2)]).toEqual([answers, answers]);
    expect(JSON.parse(bundled[2]!)).toEqual({
      hasPage: false,
      process: expect.stringMatching(
        /^startProcess: expected the file bin\/latchkey\.js of latchkey.*serverExternalPackages/,
      ),
    });
    expect(JSON.parse(external[2]!)).toEqual({ hasPage: true, process: "started" });
    expect(await readFile("docs/where-it-runs.md", "utf8")).toContain(version);
  },
  6 * PATIENCE,
);
