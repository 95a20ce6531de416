/**
 * Collects the lines of one turn of the event loop and writes them together, after the replies of that
 * turn, because a write for each line takes much of the time of a request.
 */
export function createLineWriter(
  stream: Pick<NodeJS.WritableStream, "write"> = process.stderr,
): (line: string) => void {
  let text = "";
  const flush = () => {
    if (text === "") return;
    const lines = text;
    text = "";
    stream.write(lines);
  };
  // When the process exits, `setImmediate` does not run any more.
  process.once("exit", flush);
  return (line) => {
    if (text === "") setImmediate(flush);
    text += `${line}\n`;
  };
}
