import { join } from "node:path";
import { installed, type Consumer } from "./_consumer.ts";

/** The packages that a program needs to be compiled. */
export const compiler = {
  typescript: await installed("typescript"),
  "typescript-5": "npm:typescript@~5.9.3",
  "@types/node": await installed("@types/node"),
  zod: await installed("zod"),
};
export const nodenext = ["--module", "nodenext"];
export const bundler = ["--module", "esnext", "--moduleResolution", "bundler"];
export const withDom = ["--lib", "es2023,dom"];
export const withoutDom = ["--lib", "es2023"];

interface Compiling {
  /** The package of the TypeScript version. */
  readonly by: "typescript" | "typescript-5";
  /** Packages whose declarations may have errors. */
  readonly others?: readonly string[];
}

/** The compiler's errors in these programs and in every declaration that they reach, one a line. */
export async function complaints(
  { node }: Consumer,
  files: readonly string[],
  flags: readonly string[],
  { by, others = [] }: Compiling,
): Promise<string[]> {
  const strict = ["--strict", "--skipLibCheck", "false", "--exactOptionalPropertyTypes"];
  const target = ["--target", "es2023", "--types", "node", "--noEmit", "--pretty", "false"];
  const tsc = join("node_modules", by, "bin", "tsc");
  const { code, stdout, stderr } = await node([tsc, ...strict, ...target, ...flags, ...files]);
  const lines = stdout.split("\n").filter((line) => /^\S/.test(line));
  if (code !== 0 && lines.length === 0) throw new Error(`${by} ended with ${code}: ${stderr}`);
  return lines.filter((line) => !others.some((name) => line.startsWith(`node_modules/${name}/`)));
}

/** Uses the public interface that needs neither msw nor vitest. */
export const core = `
  import * as z from "zod";
  import * as mini from "zod/mini";
  import { ApiError, createEmulator, defineOperation, keyRecord, onApi, toKeyRecord } from "latchkey";
  import type { Emulator, EmulatorOptions, Fixture, Key, Operation } from "latchkey";
  import { connect, type EmulatorClient } from "latchkey/client";
  import { loadFixture, serve, startProcess, type RunningServer } from "latchkey/node";

  type Same<A, B> =
    (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
  const isTrue = <_ extends true>() => {};

  const fixture: Fixture = { apis: [{ id: "api_one" }], keys: [{ apiId: "api_one", name: "CI" }] };
  const options: EmulatorOptions = {
    fixtures: [fixture, await loadFixture("fixture.yaml")],
    now: new Date(0),
    log: (entry) => entry.kind === "request" && entry.status,
  };
  export const emulator: Emulator = await createEmulator(options);
  // @ts-expect-error a misspelt member
  await createEmulator({ fixtures: [{ apis: [{ idd: "api_one" }] }] });

  const found = emulator.keys.findFirst((q) => q.where({ name: "CI" }));
  isTrue<Same<NonNullable<typeof found>["id"], string>>();
  // @ts-expect-error a misspelt member
  emulator.keys.findFirst((q) => q.where({ nmae: "CI" }));
  await emulator.keys.update((q) => q.where({ name: "CI" }), {
    data: (key) => void (key.enabled = false),
  });
  export const key: Key | undefined = emulator.keys.get("key_1");

  const deleteIdentity = defineOperation({
    contract: {
      name: "identities.deleteIdentity",
      method: "POST",
      path: "/v1/identities.deleteIdentity",
      input: z.object({ identityId: z.string().min(1) }),
      output: z.object({}),
    },
    requires({ workspace, input }) {
      const keys = workspace.keys.findMany((q) => q.where({ identityId: input.identityId }));
      return keys.map(({ apiId }) => onApi(apiId, "delete_key"));
    },
    run({ workspace, input }) {
      isTrue<Same<typeof input.identityId, string>>();
      // @ts-expect-error a misspelt member
      workspace.identities.get(input.identityID);
      return {};
    },
  });
  const getIdentity = defineOperation({
    contract: {
      name: "identities.getIdentity",
      method: "GET",
      path: "/v1/identities.getIdentity",
      input: mini.object({ identityId: mini.string(), decrypt: mini.optional(mini.stringbool()) }),
      output: keyRecord,
    },
    run({ workspace, input }) {
      isTrue<Same<typeof input, { identityId: string; decrypt?: boolean | undefined }>>();
      const { decrypt = false, identityId } = input;
      const key = workspace.keys.findFirst((q) => q.where({ identityId }));
      if (key === undefined) throw new Error();
      return toKeyRecord(workspace, key, { decrypt });
    },
  });
  const limit = defineOperation({
    contract: {
      name: "ratelimit.limit",
      method: "POST",
      path: "/v2/ratelimit.limit",
      input: z.strictObject({ identifier: z.string() }),
      output: z.object({ data: z.object({ remaining: z.int() }) }),
    },
    state: () => new Map<string, number>(),
    run({ input, now, state }) {
      isTrue<Same<typeof now, number>>();
      isTrue<Same<typeof state, Map<string, number>>>();
      if (state.has(input.identifier)) {
        const type = "unkey/data/identifier_already_exists";
        throw new ApiError("CONFLICT", "Exists.", { status: 409, type });
      }
      return { data: { remaining: state.get(input.identifier) ?? 0 } };
    },
  });
  export const operations: readonly Operation[] = [deleteIdentity, getIdentity, limit];
  export const wrong = defineOperation({
    contract: {
      name: "keys.count",
      method: "GET",
      path: "/v1/keys.count",
      input: mini.object({}),
      output: mini.object({ count: mini.number() }),
    },
    // @ts-expect-error not what the output says
    run: ({ workspace }) => ({ count: workspace.keys.all() }),
  });

  const server: RunningServer = await serve(emulator, { port: 0 });
  await server.close();
  const { url, stop } = await startProcess({ fixtures: ["fixture.yaml"], strict: true });
  isTrue<Same<typeof url, string>>();
  await stop();
  export const client: EmulatorClient = connect(url, { token: "any" });
  const [request] = await client.requests.waitFor({ operation: "keys.createKey", count: 2 });
  isTrue<Same<typeof request.requestId, string>>();
  await client.faults.add({ status: 429, headers: { "Retry-After": "1" }, skip: 1 });
  // @ts-expect-error a function works in process only
  await client.faults.add({ status: 429, match: () => true });
`;
