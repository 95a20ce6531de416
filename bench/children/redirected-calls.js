// Verifies a key again and again at the URLs in its arguments, in turns, one call after the other. Prints
// the median time of a call (µs) by client and URL.
import http from "node:http";
import https from "node:https";

const ROUNDS = 31;
const CALLS = 100;
const urls = process.argv.slice(2);
const path = "/v2/keys.verifyKey";
const options = {
  method: "POST",
  headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
};
const body = '{"key":"no_such_key"}';

const clients = {
  fetch: async (url) => (await fetch(url + path, { ...options, body })).text(),
  "https.request": (url) =>
    new Promise((resolve, reject) => {
      const { request } = url.startsWith("https:") ? https : http;
      const made = request(url + path, options, (reply) => {
        reply.on("end", resolve);
        reply.resume();
      });
      made.on("error", reject).end(body);
    }),
};

const medians = {};
for (const [name, call] of Object.entries(clients)) {
  const times = Object.fromEntries(urls.map((url) => [url, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const url of urls) {
      const start = performance.now();
      for (let count = 0; count < CALLS; count += 1) await call(url);
      times[url].push(((performance.now() - start) / CALLS) * 1000);
    }
  }
  const median = (all) => all.toSorted((a, b) => a - b)[all.length >> 1];
  medians[name] = Object.fromEntries(urls.map((url) => [url, median(times[url])]));
}
process.stdout.write(JSON.stringify(medians));
