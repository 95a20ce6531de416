// Records the replies of a server, so that the bare server can send the same bytes and headers.
import { askFor } from "./ask.js";
import { sample } from "./workloads.js";

const SAMPLES = 128;
/** Headers that Node adds itself. */
const byNode = new Set(["date", "connection", "keep-alive", "content-length"]);

export async function recordReplies(port, requests) {
  const replies = {};
  for (const kind of ["get", "post"]) {
    const asked = requests.filter(({ method = "GET" }) => method.toLowerCase() === kind);
    if (asked.length > 0) replies[kind] = [];
    for (const request of sample(asked, SAMPLES)) {
      const { body, rawHeaders } = await askFor(port, request);
      replies[kind].push({ headers: toHeaders(rawHeaders), body: body.toString() });
    }
  }
  return replies;
}

function toHeaders(raw) {
  const headers = {};
  for (let index = 0; index < raw.length; index += 2) {
    if (!byNode.has(raw[index].toLowerCase())) headers[raw[index]] = raw[index + 1];
  }
  return headers;
}
