import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { lstat, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { replaceFile, temporaryNameOf } from "../../src/cli/files/replace-file.ts";
import { lock } from "../../src/cli/files/lock.ts";
import { readState } from "../../src/cli/files/state.ts";
import { runCli, startCli } from "../_cli.ts";
import { givenFolder } from "./_folder.ts";

const LONG_AGO = new Date(Date.now() - 3_600_000);

describe("--state", () => {
  test("a state file locked by a living process is refused, and the lock of a killed one is taken", async () => {
    const file = join(await givenFolder(), "s.json");
    const place = `${file}.lock`;
    (await lock(file))();
    expect(existsSync(place)).toBe(false);
    const unlock = await lock(file);
    const held = (id: number) =>
      readFile(place, "utf8").then((text) => text.replace(/\d+$/m, `${id}`));

    await writeFile(place, await held(process.ppid));
    await expect(lock(file)).rejects.toThrow(
      `--state: ${file}: the process ${process.ppid} saves its state there; end it, or choose another file`,
    );
    unlock();
    expect(existsSync(place)).toBe(true);

    const killed = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    await writeFile(place, await held(killed.pid ?? 0));
    (await lock(file))();
    expect(existsSync(place)).toBe(false);
  });

  test("a second process on one state file is refused, and the first goes on saving", async () => {
    const state = join(await givenFolder(), "s.json");
    await using first = await startCli(["--state", state]);

    const second = await runCli(["--port", "0", "--state", state]);

    expect(second.code).toBe(2);
    expect(second.stderr).toContain("saves its state there");
    const { url } = first.ready;
    await fetch(`${url}/_latchkey/seed`, { method: "POST", body: '{"roles":[{"name":"kept"}]}' });
    await expect.poll(() => readFile(state, "utf8")).toContain("kept");
  });

  test.each<[from: string, rename: (name: string) => string]>([
    ["of a process that has ended", (name) => name],
    ["with its own process id, as in a container that starts again", toPid(process.pid)],
  ])("a start with --state removes a temporary file %s", async (_, rename) => {
    const { file, state } = await givenTemporaryFile(rename);

    expect((await readState(state)).fixture).toBeUndefined();

    expect(existsSync(file)).toBe(false);
  });

  test.each<[from: string, rename: (name: string) => string]>([
    ["a process that is alive", toPid(process.ppid)],
    ["another machine", (name) => name.replace(/json\.[^.]*/, "json.other-host")],
  ])(
    "a start with --state removes a temporary file of %s if it has not grown for an hour",
    async (_, rename) => {
      const [fresh, old] = [await givenTemporaryFile(rename), await givenTemporaryFile(rename)];
      await utimes(old.file, LONG_AGO, LONG_AGO);

      for (const { state } of [fresh, old]) await readState(state);

      expect([existsSync(fresh.file), existsSync(old.file)]).toEqual([true, false]);
    },
  );

  test("a start with --state removes no other file than temporary files of the state", async () => {
    const folder = await givenFolder();
    const own = temporaryNameOf(join(folder, "s.json")).slice(folder.length + 1);
    const names = [
      own.replace("s.json", "other.json"),
      own.replace("s.json", "as.json"),
      own.replace("s.json", "s.json.json"),
      `${own}~`,
      own.slice(0, -1),
      own.replace(/-4(?=[\da-f]{3}-[89ab])/, "-5"),
      "s.json.bak",
      "s.json.1.2",
    ].sort();
    for (const name of names) {
      await writeFile(join(folder, name), "");
      await utimes(join(folder, name), LONG_AGO, LONG_AGO);
    }

    await readState(join(folder, "s.json"));

    expect((await readdir(folder)).sort()).toEqual(names);
  });

  test("a start with --state removes the temporary files beside the target of a symbolic link", async () => {
    const folder = await givenFolder({ "real/s.json": '{"snapshot":{}}' });
    const left = temporaryNameOf(join(folder, "real", "s.json"));
    await writeFile(left, "{");
    await symlink("real/s.json", join(folder, "link.json"));

    await readState(join(folder, "link.json"));

    expect(await readdir(join(folder, "real"))).toEqual(["s.json"]);
  });

  test("--state refuses a symbolic link to a folder that does not exist, and links in a circle", async () => {
    const folder = await givenFolder();
    await symlink("none/s.json", join(folder, "link.json"));
    await symlink("circle.json", join(folder, "circle.json"));

    await expect(readState(join(folder, "link.json"))).rejects.toThrow(
      /link\.json: it is a symbolic link to .*none\/s\.json; there is no such folder/,
    );
    await expect(readState(join(folder, "circle.json"))).rejects.toThrow(
      "circle.json: its symbolic links lead in a circle",
    );
  });
});

test("a state is saved to the target of symbolic links, also to one that does not exist yet", async () => {
  const folder = await givenFolder({ "one/.keep": "", "two/.keep": "" });
  await symlink("../two", join(folder, "one", "here"));
  await symlink("here/next.json", join(folder, "one", "link.json"));
  await symlink("../two/s.json", join(folder, "two", "next.json"));

  await replaceFile(join(folder, "one", "link.json"), ["saved"], () => Promise.resolve());

  expect(await readFile(join(folder, "two", "s.json"), "utf8")).toBe("saved");
  expect((await stat(join(folder, "two", "s.json"))).mode & 0o777).toBe(0o600);
  for (const link of ["one/link.json", "two/next.json"]) {
    expect((await lstat(join(folder, link))).isSymbolicLink()).toBe(true);
  }
});

test.each<[kind: string, option: string, make: (file: string) => unknown]>([
  ["a named pipe", "--fixture", (file) => execFileSync("mkfifo", [file])],
  ["a device", "--state", (file) => symlink("/dev/full", file)],
])("%s in place of the file of %s is refused with one line", async (kind, option, make) => {
  const file = join(await givenFolder(), "f.json");
  await make(file);

  const { code, stderr } = await runCli([option, file, "--port", "0"]);

  expect([code, stderr]).toEqual([2, `latchkey: ${file}: expected a regular file, got ${kind}\n`]);
});

async function givenTemporaryFile(rename: (name: string) => string) {
  const state = join(await givenFolder(), "s.json");
  const file = rename(toPid(await endedProcess())(temporaryNameOf(state)));
  await writeFile(file, "{");
  return { file, state };
}

/** The id of a process that has ended. */
async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ["--version"]);
  await once(child, "close");
  return child.pid as number;
}

/** Puts another process id into the name of a temporary file. */
function toPid(pid: number): (name: string) => string {
  return (name) => name.replace(/\.\d+(\.[\da-f-]{36})$/, `.${pid}$1`);
}
