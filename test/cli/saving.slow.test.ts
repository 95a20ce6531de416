import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { replaceFile } from "../../src/cli/files/replace-file.ts";
import { keepState, readState } from "../../src/cli/files/state.ts";
import type { Emulator, Fixture } from "../../src/index.ts";
import { serve } from "../../src/node.ts";
import { createKey, givenEmulator, listKeys, type Door } from "../_emulator.ts";
import { givenFolder } from "./_folder.ts";

const door: Door = { fetch: (request) => fetch(request) };
const untouched = () => Promise.resolve();

/** Text of some megabytes, in pieces. */
function* longText(onPiece: () => void = () => {}): Generator<string> {
  for (let index = 0; index < 20_000; index += 1) {
    onPiece();
    yield `${index} ${"ä€😀".repeat(20)}\n`;
  }
}

describe("replaceFile", () => {
  test.each([
    [
      "the text throws",
      function* () {
        yield* longText();
        throw new Error("no");
      },
      untouched,
    ],
    ["the last check fails", longText, () => Promise.reject(new Error("no"))],
  ])("replaceFile leaves the file unchanged if %s", async (_, text, check) => {
    const folder = await givenFolder({ file: "before" });
    const file = join(folder, "file");

    await expect(replaceFile(file, text(), check)).rejects.toThrow("no");

    expect(await readFile(file, "utf8")).toBe("before");
    expect(await readdir(folder)).toEqual(["file"]);
  });

  test("replaceFile creates a file that only its owner may read", async () => {
    const file = join(await givenFolder(), "file");

    await replaceFile(file, ["secret"], untouched);

    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test.each(["644", "640", "444"])(
    "replaceFile keeps the mode %s of an existing file",
    async (digits) => {
      const mode = Number.parseInt(digits, 8);
      const file = join(await givenFolder({ file: "before" }), "file");
      await chmod(file, mode);

      await replaceFile(file, ["after"], untouched);

      expect(await readFile(file, "utf8")).toBe("after");
      expect((await stat(file)).mode & 0o777).toBe(mode);
    },
  );
});

/** An emulator that calls `onPiece` with each piece of a snapshot's text. */
async function givenTelling(
  count: number,
  onPiece: (piece: string, index: number) => void,
): Promise<Emulator> {
  const emulator = await givenEmulator({ generate: { apiId: "api_one", count } });
  const take = emulator.snapshotText.bind(emulator);
  function* telling(pieces: Iterable<string>) {
    let index = 0;
    for (const piece of pieces) {
      onPiece(piece, index);
      index += 1;
      yield piece;
    }
  }
  return Object.assign(emulator, {
    snapshotText: (first: Parameters<typeof take>[0]) => telling(take(first)),
  });
}

async function keep(emulator: Emulator, file: string, told: string[] = []) {
  return keepState(file, await readState(file), emulator, (line) => told.push(line));
}

function keysOf(text: string) {
  const { keys = [] } = JSON.parse(text) as Fixture;
  return { made: keys.length, names: keys.slice(-2).map(({ name }) => name) };
}

describe("saving a large state", () => {
  test("requests are answered while a large state is saved", async () => {
    const file = join(await givenFolder(), "state.json");
    const events: string[] = [];
    const emulator = await givenTelling(8_000, () => events.push("piece"));
    const server = await serve(emulator);

    const stop = await keep(emulator, file);
    while (!(await stat(file).catch(() => undefined))) {
      await listKeys(door, { apiId: "api_one", limit: "1" }, { origin: server.url });
      events.push("answer");
    }
    await server.close();
    const first = events.slice(events.indexOf("piece"), events.lastIndexOf("piece"));
    await stop();

    expect(first.filter((event) => event === "answer").length).toBeGreaterThan(1);
    expect(keysOf(await readFile(file, "utf8")).made).toBe(8_000);
  });

  test("changes during a save are left out of it and written by the next one", async () => {
    const file = join(await givenFolder(), "state.json");
    const saves: string[] = [];
    let begin = () => {};
    const isBegun = new Promise<void>((resolve) => (begin = resolve));
    const emulator = await givenTelling(5_000, (piece, index) => {
      if (index === 0) saves.push("");
      if (index === 3_000) begin();
      saves.push(`${saves.pop()}${piece}`);
    });
    const stop = await keep(emulator, file);

    await isBegun;
    await createKey(emulator, { apiId: "api_one", name: "one" });
    await createKey(emulator, { apiId: "api_one", name: "two" });
    expect(await stop()).toBe(true);

    const [first, last] = saves.map(keysOf);
    expect(saves).toHaveLength(2);
    expect(first?.made).toBe(5_000);
    expect(last).toEqual({ made: 5_002, names: ["one", "two"] });
    expect(await readFile(file, "utf8")).toBe(saves[1]);
  });

  test("a save does not overwrite a file that another program writes during the save", async () => {
    const file = join(await givenFolder(), "state.json");
    let isWritten: Promise<void> | undefined;
    const emulator = await givenTelling(5_000, () => (isWritten ??= writeFile(file, "theirs")));
    const told: string[] = [];

    const stop = await keep(emulator, file, told);

    expect(await stop()).toBe(false);
    expect(await readFile(file, "utf8")).toBe("theirs");
    expect(told).toHaveLength(1);
    expect(await readdir(join(file, ".."))).toEqual(["state.json"]);
  });
});
