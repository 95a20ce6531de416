// Calls another host, which a resolver of the program finds on this machine, and prints the replies.
import http from "node:http";
import https from "node:https";
import { Agent } from "undici";

const [, , url, ca] = process.argv;
const lookup = (_name, { all }, callback) =>
  all ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4);

const { request } = url.startsWith("https:") ? https : http;
const body = "some bytes";
const replies = await Promise.all([
  new Promise((resolve, reject) => {
    const made = request(
      `${url}/v2/keys.createKey?a=1`,
      { method: "POST", ca, lookup },
      (reply) => {
        let text = "";
        reply.on("data", (part) => (text += part));
        reply.on("end", () => resolve(text));
      },
    );
    made.on("error", reject).end(body);
  }),
  fetch(`${url}/v2/keys.createKey?a=1`, {
    method: "POST",
    body,
    dispatcher: new Agent({ connect: { ca, lookup } }),
  }).then((reply) => reply.text()),
]);
process.stdout.write(`[${replies.join(",")}]`);
