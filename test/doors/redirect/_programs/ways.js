/*
 * How programs call an HTTPS service. Each way gets a URL and `{ method, headers, body }`, and resolves to
 * `{ status, text }`. The packages are imported when they are used, as programs for Node.js 20 to 24 need
 * them.
 */
import http from "node:http";
import https, { get, request } from "node:https";
import tls from "node:tls";

const read = async (response) => ({ status: response.status, text: await response.text() });

/** Sends by `node:https`, with a function that makes the request. */
function send(make, body) {
  return new Promise((resolve, reject) => {
    const made = make((response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode, text }));
      response.on("error", reject);
    });
    made.on("error", reject);
    made.end(body);
  });
}

const keptAlive = new https.Agent({ keepAlive: true, maxSockets: 1 });

export const ways = {
  fetch: async (url, init) => read(await fetch(url, init)),
  "fetch with a Request": async (url, init) => read(await fetch(new Request(url, init))),
  "https.request": (url, { body, ...options }) =>
    send((reply) => https.request(url, options, reply), body),
  "request, imported by its name, with options alone": (url, { body, ...options }) => {
    const { hostname, pathname, search } = new URL(url);
    return send(
      (reply) => request({ ...options, hostname, path: pathname + search, port: "443" }, reply),
      body,
    );
  },
  "https.get": (url, { body, ...options }) =>
    options.method === "GET"
      ? send((reply) => get(url, options, reply))
      : send((reply) => https.request(url, options, reply), body),
  "http.request with the agent of https": (url, { body, ...options }) =>
    send((reply) => http.request(url, { ...options, agent: new https.Agent() }, reply), body),
  "an agent that keeps connections": (url, { body, ...options }) =>
    send((reply) => https.request(url, { ...options, agent: keptAlive }, reply), body),
  "no agent": (url, { body, ...options }) =>
    send((reply) => https.request(url, { ...options, agent: false }, reply), body),
  "an own resolver": (url, { body, ...options }) => {
    const lookup = (_host, _options, callback) => callback(new Error("the resolver was asked"));
    return send((reply) => https.request(url, { ...options, lookup, agent: false }, reply), body);
  },
  "tls.connect": (url, { method, headers, body = "" }) => {
    const { hostname, pathname, search } = new URL(url);
    const socket = tls.connect(443, hostname, { servername: hostname });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.once("secureConnect", () => {
      socket.write(
        `${method} ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n` +
          `Content-Length: ${Buffer.byteLength(body)}\r\n${lines.join("")}\r\n${body}`,
      );
    });
    return new Promise((resolve, reject) => {
      let reply = "";
      socket.on("data", (part) => (reply += part));
      socket.on("error", reject);
      socket.on("end", () => {
        const [head, text] = reply.split("\r\n\r\n");
        resolve({ status: Number(head.split(" ")[1]), text });
      });
    });
  },
  axios: async (url, { body, headers, method }) => {
    const { default: axios } = await import("axios");
    const { data, status } = await axios({
      url,
      method,
      headers,
      data: body,
      responseType: "text",
      transformResponse: (text) => text,
      validateStatus: () => true,
    });
    return { status, text: data };
  },
  got: async (url, { body, headers, method }) => {
    const { got } = await import("got");
    const options = { method, headers, throwHttpErrors: false, retry: { limit: 0 } };
    const reply = await got(url, { ...options, ...(body && { body }) });
    return { status: reply.statusCode, text: reply.body };
  },
  "undici.fetch": async (url, init) => read(await (await import("undici")).fetch(url, init)),
  "undici.request with an agent": async (url, init) => {
    const { Agent, request: ask } = await import("undici");
    const dispatcher = new Agent({ connections: 1 });
    const { statusCode, body } = await ask(url, { ...init, dispatcher });
    const text = await body.text();
    await dispatcher.close();
    return { status: statusCode, text };
  },
  "undici with a pool that may speak HTTP/2": async (url, init) => {
    const { Pool } = await import("undici");
    const { origin, pathname, search } = new URL(url);
    const pool = new Pool(origin, { allowH2: true });
    const { statusCode, body } = await pool.request({ ...init, path: pathname + search });
    const text = await body.text();
    await pool.close();
    return { status: statusCode, text };
  },
  "fetch with a dispatcher of undici": async (url, init) => {
    const { Agent } = await import("undici");
    return read(await fetch(url, { ...init, dispatcher: new Agent() }));
  },
  "undici with the proxy of the environment": async (url, init) => {
    const { EnvHttpProxyAgent, fetch: ask } = await import("undici");
    return read(await ask(url, { ...init, dispatcher: new EnvHttpProxyAgent() }));
  },
  "https-proxy-agent": async (url, { body, ...options }) => {
    const { HttpsProxyAgent } = await import("https-proxy-agent");
    const agent = new HttpsProxyAgent(process.env.HTTPS_PROXY);
    return send((reply) => https.request(url, { ...options, agent }, reply), body);
  },
};
