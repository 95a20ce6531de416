// Tries to reach the real host, for which a trap stands at 127.0.0.1, and prints how each try ended:
// `{ [attempt]: "answered <status>" or the message of the error }`. Arguments: the host and port of the
// real host, and `all`, or nothing for one attempt with each client.
const dns = require("node:dns");
const http = require("node:http");
const http2 = require("node:http2");
const https = require("node:https");
const net = require("node:net");
const { Duplex } = require("node:stream");
const tls = require("node:tls");
const undici = require("undici");

const [host, trapPort, isAll] = process.env.REAL_HOST.split(" ");
const port = Number(trapPort);
const address = "127.0.0.1";
const origin = `https://${host}:${port}`;
const insecure = { rejectUnauthorized: false };
/** A resolver that knows where the real host is. */
const lookup = (_name, options, callback = options) =>
  options.all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4);
dns.lookup = lookup;

/** Resolves to how a request or a socket ended. */
function ended(emitter) {
  return new Promise((resolve) => {
    emitter.on("error", (error) => resolve(error.message));
    emitter.on("response", (response) => {
      response.resume?.();
      resolve(`answered ${response.statusCode ?? response[":status"]}`);
    });
    emitter.on("data", (bytes) => resolve(`answered ${String(bytes).split(" ")[1]}`));
    emitter.on("close", () => resolve("closed"));
    emitter.setTimeout?.(4000, () => resolve("no answer"));
  });
}
const request = (client, options) => {
  const made = client.request({ path: "/v2/secret", agent: false, ...insecure, ...options });
  made.end();
  return ended(made);
};
const fetched = async (url, fetch = globalThis.fetch) => {
  try {
    return `answered ${(await fetch(url)).status}`;
  } catch (error) {
    return error.cause?.message ?? error.message;
  }
};
const GET = `GET /v2/secret HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n\r\n`;
const written = (socket) => {
  const end = ended(socket);
  socket.write(GET);
  return end;
};
const spoken = (authority, options) => {
  const session = http2.connect(authority, { ...insecure, ...options });
  const end = ended(session);
  const stream = session.request({ ":path": "/v2/secret" });
  stream.on("error", () => {}).end();
  return Promise.race([end, ended(stream).then(() => end)]);
};

const clients = {
  fetch: () => fetched(`${origin}/v2/secret`),
  undici: () => fetched(`${origin}/v2/secret`, undici.fetch),
  http: () => request(http, { host, port }),
  https: () => request(https, { host, port }),
  net: () => written(net.connect(port, host)),
  tls: () => written(tls.connect(port, host, insecure)),
  http2: () => spoken(origin),
};
const attempts = {
  ...clients,
  "an own resolver": () => request(https, { host, port, lookup }),
  "the address, with the name for TLS": () =>
    request(https, { host: address, port, servername: host }),
  "the address, with the name in Host": () =>
    request(https, { host: address, port, headers: { Host: host } }),
  "a dot at the end": () => fetched(`https://${host}.:${port}/`),
  "a dot at the end, by net": () => written(net.connect(port, `${host}.`)),
  "upper case": () => written(tls.connect({ port, host: host.toUpperCase(), ...insecure })),
  "full-width letters": () => written(net.connect({ port, host: host.replace("s", "\uFF53") })),
  "an ideographic full stop": () =>
    written(tls.connect({ port, host: host.replace(".", "\u3002"), ...insecure })),
  "a soft hyphen": () => written(net.connect({ port, host: `s\u00AD${host.slice(1)}` })),
  "a name for TLS in full-width letters": () =>
    written(tls.connect({ port, host: address, servername: host.replace("s", "\uFF53") })),
  "plain HTTP": () => fetched(`http://${host}/v2/secret`),
  "another port": () => fetched(`https://${host}:4443/v2/secret`),
  "another port, by http": () => request(http, { host, port: 4443 }),
  "HTTP/2 to the address, with the name for TLS": () =>
    spoken(`https://${address}:${port}`, { servername: host }),
  "HTTP/2 without TLS": () => spoken(`http://${host}:${port}`),
  "HTTP/2 without TLS to another port": () => spoken(`http://${host}:4443`),
  "HTTP/2 over a connection of its own": () =>
    spoken(origin, { createConnection: () => tls.connect({ port, host, ...insecure }) }),
  "a TLSSocket over a socket": () => written(new tls.TLSSocket(net.connect(port, host))),
  "a TLSSocket that connects": () => written(new tls.TLSSocket().connect(port, host)),
  "a TLSSocket with the name": () => {
    const socket = new tls.TLSSocket(net.connect(port, address));
    socket.setServername(host);
    return written(socket);
  },
  "TLS over a socket to the host": () => written(tls.connect({ socket: net.connect(port, host) })),
  "TLS over the tunnel of a proxy": async () => {
    const socket = net.connect(port, address);
    await new Promise((resolve) => socket.once("connect", resolve));
    return written(tls.connect({ socket, servername: host }));
  },
  "TLS for the host over a tunnel": () =>
    written(tls.connect({ socket: net.connect(port, address), host })),
  "TLS over a stream": () => {
    const socket = net.connect(port, address);
    return written(
      tls.connect({ socket: Duplex.from({ readable: socket, writable: socket }), host }),
    );
  },
  "TLS over a pipe": () => written(tls.connect({ path: "/nowhere.sock", servername: host })),
  "a redirect of another server": async () => {
    const server = http.createServer((_, response) => {
      response.writeHead(302, { Location: `${origin}/v2/secret` }).end();
    });
    await new Promise((resolve) => server.listen(0, address, resolve));
    const end = await fetched(`http://${address}:${server.address().port}/`);
    server.close();
    server.closeAllConnections();
    return end;
  },
  "an upgrade to WebSocket": () =>
    request(https, { host, port, headers: { Connection: "Upgrade", Upgrade: "websocket" } }),
};

(async () => {
  const outcomes = {};
  for (const [name, attempt] of Object.entries(isAll ? attempts : clients)) {
    outcomes[name] = await attempt();
  }
  process.stdout.write(`${JSON.stringify(outcomes)}\n`);
  if (require("node:worker_threads").isMainThread) process.exit();
})();
