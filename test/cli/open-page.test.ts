import { EventEmitter } from "node:events";
import open from "open";
import { expect, test, vi } from "vitest";
import { openPage } from "../../src/cli/open-page.ts";

vi.mock("open");

test("where nothing can open a page, nobody is bothered", async () => {
  vi.mocked(open).mockRejectedValueOnce(new Error("spawn xdg-open ENOENT"));
  await expect(openPage("http://localhost:4010/")).resolves.toBeUndefined();

  const child = new EventEmitter();
  vi.mocked(open).mockResolvedValueOnce(child as never);
  await openPage("http://localhost:4010/");
  expect(() => child.emit("error", new Error("EACCES"))).not.toThrow();
});
