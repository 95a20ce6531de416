import { expect, test } from "vitest";
import { runCli } from "../../_cli.ts";
import { givenRealHost } from "./_real-host.ts";

test.each(["replaced", "deleted"])(
  "children and workers of every kind are redirected, with NODE_OPTIONS %s",
  async (nodeOptions) => {
    await using real = await givenRealHost();
    const program = [process.execPath, "test/doors/redirect/_programs/starts.cjs", nodeOptions];

    const { stdout } = await runCli(
      ["exec", "--as", `https://service.test:${real.port}`, "--log", "silent", "--", ...program],
      { env: { REAL_HOST: `service.test ${real.port}` } },
    );

    expect(real.arrived()).toBe("");
    const lines = stdout.trim().split("\n");
    expect(lines).toHaveLength("execve" in process ? 20 : 19);
    for (const line of lines) {
      expect(JSON.parse(line)).toEqual({
        ...Object.fromEntries(
          ["fetch", "undici", "http", "https", "net", "tls"].map((name) => [name, "answered 404"]),
        ),
        http2: expect.stringContaining("expected a client that can speak HTTP/1.1"),
      });
    }
  },
);
