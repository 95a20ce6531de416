import { expect, test, vi } from "vitest";
import { createLineWriter } from "../../src/cli/line-writer.ts";

function givenWriter() {
  const written: string[] = [];
  const writeLine = createLineWriter({
    write: (text: string | Uint8Array) => written.push(String(text)) > 0,
  });
  return { written, writeLine };
}

test("lines of one turn of the event loop are written at once, in order", async () => {
  const { written, writeLine } = givenWriter();

  for (const line of ["one", "two", "three"]) writeLine(line);
  expect(written).toEqual([]);
  await vi.waitFor(() => expect(written).toEqual(["one\ntwo\nthree\n"]));

  writeLine("four");
  await vi.waitFor(() => expect(written).toEqual(["one\ntwo\nthree\n", "four\n"]));
});

test("lines that are still buffered are written when the process exits", () => {
  const listeners = process.listeners("exit");
  const { written, writeLine } = givenWriter();
  const [flush] = process.listeners("exit").filter((listener) => !listeners.includes(listener));

  writeLine("the last words");
  flush?.(0);

  expect(written).toEqual(["the last words\n"]);
});
