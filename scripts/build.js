// Compiles src to dist, from nothing, so that no file of a former build is left.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

rmSync("dist", { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], {
  stdio: "inherit",
  shell: true,
});
process.exitCode = status ?? 1;
