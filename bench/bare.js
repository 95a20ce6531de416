// The baseline of the bench: a bare node:http server that reads a request and sends bytes that were
// prepared. They come as JSON on stdin: { get, post }, each a list of replies, { headers, body }, which
// are sent in turn. With --short it reads no stdin and sends one short reply.
import { createServer } from "node:http";

const short = [{ headers: { "Content-Type": "application/json" }, body: '{"keys":[]}' }];
const replies = process.argv.includes("--short")
  ? { get: short, post: short }
  : await readReplies();
const sent = { get: 0, post: 0 };

const server = createServer((request, response) => {
  if (request.method === "GET") {
    send(response, "get");
    return;
  }
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => send(response, "post"));
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`);
});

function send(response, kind) {
  const { headers, body } = replies[kind][sent[kind]++ % replies[kind].length];
  response.writeHead(200, headers);
  response.end(body);
}

async function readReplies() {
  const { json } = await import("node:stream/consumers");
  const { get = short, post = short } = await json(process.stdin);
  for (const reply of [...get, ...post]) {
    reply.body = Buffer.from(reply.body);
    reply.headers["Content-Length"] = String(reply.body.length);
  }
  return { get, post };
}
