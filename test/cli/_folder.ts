import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** An empty folder of a test's own. */
export function givenFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "latchkey-"));
}
