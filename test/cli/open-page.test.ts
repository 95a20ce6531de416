import { EventEmitter } from "node:events";
import open from "open";
import { expect, test, vi } from "vitest";
import { openPage } from "../../src/cli/open-page.ts";

vi.mock("open");

test("openPage ignores a missing browser and one that fails to start", async () => {
  vi.mocked(open).mockRejectedValueOnce(new Error("spawn xdg-open ENOENT"));
  await expect(openPage("http://localhost:4010/")).resolves.toBeUndefined();

  const child = new EventEmitter();
  vi.mocked(open).mockResolvedValueOnce(child as never);
  await openPage("http://localhost:4010/");
  expect(() => child.emit("error", new Error("EACCES"))).not.toThrow();
});
