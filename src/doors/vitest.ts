import { test as base, type TestAPI } from "vitest";
import { createEmulator } from "../emulator/create-emulator.ts";
import { type Emulator } from "../emulator/emulator.ts";
import { type Finding, findingLine } from "../world/findings/findings.ts";
import { describeRequests } from "../world/journal/describe-requests.ts";
import type { EmulatorOptions } from "../emulator/options.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { GatewayOptions } from "../gateway/options.ts";
import { createConsoleLog, type Log, UnservedCalls } from "../service/log.ts";

/** The vitest fixtures of `test`. */
export interface LatchkeyFixtures {
  /** The options of `emulator`. Default: `{ randomSeed: 1 }`; the random seed is 1 unless you set it. */
  emulatorOptions: EmulatorOptions;
  /** Whether a test fails at its end if the emulator has findings. Default: false. */
  failOnFindings: boolean;
  /** A new emulator for each test. */
  emulator: Emulator;
  /** The URL of a server for `emulator`, on a free port, while the test runs. */
  url: string;
  /** The options of `gateway`: its program and policies. */
  gatewayOptions: GatewayOptions;
  /** The service's gateway in front of the program of `gatewayOptions`, with `emulator`. */
  gateway: Gateway;
  /** The URL of a server for `gateway`, on a free port, while the test runs. */
  gatewayUrl: string;
}

interface OfFile {
  /** Counts the calls that no operation answers, and reports them at the end of the test file. */
  latchkeyLog: (log: Log) => Log;
}

/** Vitest's `test` with an emulator as a fixture. `src/vitest.ts` adds `test.sweep`. */
export const test: TestAPI<LatchkeyFixtures> = base.extend<LatchkeyFixtures & OfFile>({
  emulatorOptions: {},
  failOnFindings: false,

  latchkeyLog: [
    // oxlint-disable-next-line no-empty-pattern -- vitest requires a destructured first argument
    async ({}, use) => {
      const unserved = new UnservedCalls();
      await use((log) => (entry) => {
        unserved.count(entry);
        log(entry);
      });
      const summary = unserved.summary();
      if (summary === undefined) return;
      const message = `${summary.head} ${summary.calls.join(", ")}`;
      createConsoleLog()({ kind: "warning", message });
    },
    { scope: "file" },
  ],

  async emulator({ emulatorOptions, failOnFindings, latchkeyLog, onTestFailed }, use) {
    const { randomSeed = 1, log = latchkeyLog(createConsoleLog()), ...options } = emulatorOptions;
    const found: Finding[] = [];
    const collect: Log = (entry) => {
      if (entry.kind === "finding") found.push(entry.finding);
      return log(entry);
    };
    const emulator = await createEmulator({ ...options, log: collect, randomSeed });
    onTestFailed(() => {
      // oxlint-disable-next-line no-console -- vitest shows it beside the failure
      console.error(describeRequests(emulator.requests.list()));
    });
    await use(emulator);
    // A cleared finding has no requests any more.
    const lines = found.filter(({ requests }) => requests.length > 0).map(findingLine);
    if (failOnFindings && lines.length > 0) throw new Error(`latchkey: ${lines.join("\n")}`);
  },

  async url({ emulator }, use) {
    // Loaded on demand, because it needs Node: tests in a browser can still use `emulator`.
    const { serve } = await import("./http/serve.ts");
    const server = await serve(emulator);
    await use(server.url);
    await server.close({ grace: 0 });
  },

  gatewayOptions: {},

  async gateway({ emulator, gatewayOptions }, use) {
    // Loaded on demand, because most tests have no gateway.
    const { createGateway } = await import("../gateway/gateway.ts");
    await use(createGateway(emulator, gatewayOptions));
  },

  async gatewayUrl({ gateway }, use) {
    const { serveGateway } = await import("./http/serve-gateway.ts");
    const server = await serveGateway(gateway);
    await use(server.url);
    await server.close();
  },
});
