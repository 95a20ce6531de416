// Describes the machine, and the version of latchkey that was measured.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { isPinned } from "./processes.js";

const root = join(import.meta.dirname, "..");

export function describeMachine() {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const [{ model }] = cpus();
  const cores = `${cpus().length} ${cpus().length === 1 ? "core" : "cores"}`;
  return [
    ["date", new Date().toISOString().slice(0, 10)],
    ["latchkey", `${version}, commit ${commit()}`],
    ["Node.js", process.version],
    ["machine", `${model.trim()}, ${cores}, ${(totalmem() / 2 ** 30).toFixed(0)} GB`],
    ["system", `${type()} ${release()}, ${process.arch}`],
    ["pinned", isPinned ? "yes: servers to core 0, the load to core 1" : "no: there is no taskset"],
  ];
}

function commit() {
  try {
    const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
    const isChanged = git("status", "--porcelain", "--", "src", "bin", "package.json") !== "";
    return git("rev-parse", "--short", "HEAD") + (isChanged ? " with changes" : "");
  } catch {
    return "unknown";
  }
}
