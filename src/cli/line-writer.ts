/**
 * Writes the lines of one turn at once, behind its replies: a write for each line took a third of
 * the time that a request does.
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
  // What is told last is told before the process goes.
  process.once("exit", flush);
  return (line) => {
    if (text === "") setImmediate(flush);
    text += `${line}\n`;
  };
}
