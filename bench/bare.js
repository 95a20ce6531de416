// What Node itself can do: a server that sends the same bytes whatever it is asked, once it has read
// the request. The replies come as JSON on stdin: { get, post }, each with headers and a body.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

const replies = await json(process.stdin);
for (const reply of Object.values(replies)) reply.body = Buffer.from(reply.body);

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.writeHead(200, replies.get.headers);
    response.end(replies.get.body);
    return;
  }
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    response.writeHead(200, replies.post.headers);
    response.end(replies.post.body);
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`);
});
