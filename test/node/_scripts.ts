import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export async function givenScript(code: string, ending = "mjs"): Promise<string> {
  const file = join(tmpdir(), `latchkey-${process.pid}-${Math.random()}.${ending}`);
  await writeFile(file, code);
  return file;
}
