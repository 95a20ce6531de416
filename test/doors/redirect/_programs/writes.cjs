// Writes the texts of a file, a JSON array, in every way, and nothing else: `writes.cjs <file> <port>`. The
// port is that of another service, and a second file gets the texts too.
const { spawn } = require("node:child_process");
const { createWriteStream, readFileSync } = require("node:fs");
const { connect } = require("node:net");

const [, , file, port] = process.argv;
const texts = JSON.parse(readFileSync(file, "utf8"));
const echo = spawn(process.execPath, ["-e", "process.stdin.pipe(process.stdout)"], {
  stdio: ["pipe", "pipe", "inherit"],
});
echo.stdout.pipe(createWriteStream(`${file}.pipe`));
const outputs = [process.stdout, process.stderr, createWriteStream(`${file}.file`), echo.stdin];
outputs.push(connect(Number(port), "127.0.0.1"));
for (const output of outputs) {
  for (const text of texts) output.write(text);
  if (![process.stdout, process.stderr].includes(output)) output.end();
}
