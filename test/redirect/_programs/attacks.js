// Tries to reach the real host, which is a trap at the address and port in its arguments, and prints how
// each try ended: `{ [attempt]: "answered <status>" or the message of the error }`.
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";

const [, , address, trapPort] = process.argv;
const port = Number(trapPort);
const host = "service.test";
const origin = `https://${host}:${port}`;
/** A resolver that knows where the real host is. */
const lookup = (_name, { all }, callback) =>
  all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4);
const checked = { rejectUnauthorized: false, agent: false };

/** Resolves to how a request or a socket ended. */
function ended(emitter) {
  return new Promise((resolve) => {
    emitter.on("error", (error) => resolve(error.message));
    emitter.on("response", (response) => {
      response.resume();
      resolve(`answered ${response.statusCode}`);
    });
    emitter.on("data", (bytes) => resolve(`answered ${String(bytes).split(" ")[1]}`));
    emitter.on("close", () => resolve("closed"));
  });
}

const requested = (make) => {
  const request = make();
  request.end();
  return ended(request);
};
const fetched = async (url, init) => {
  try {
    return `answered ${(await fetch(url, init)).status}`;
  } catch (error) {
    return error.cause?.message ?? error.message;
  }
};
const GET = `GET /v2/secret HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n\r\n`;
/** Writes bytes to a socket, by default those of a request. */
const written = (socket, bytes = GET) => {
  const end = ended(socket);
  socket.write(bytes);
  return end;
};

const attempts = {
  "an own resolver": () =>
    requested(() => https.request(`${origin}/v2/secret`, { ...checked, lookup })),
  "the address, with the name for TLS": () =>
    requested(() => https.request({ host: address, port, servername: host, ...checked })),
  "the address, with the name in Host": () =>
    requested(() => https.request({ host: address, port, headers: { Host: host }, ...checked })),
  "the address, with the name in Host, by HTTP": () =>
    requested(() => http.request({ host: address, port, headers: { Host: host } })),
  "the address, with the name in Host, in bytes": () => written(net.connect(port, address)),
  "the address, with the name in Host, in the last bytes": () => {
    const socket = net.connect(port, address);
    const end = ended(socket);
    socket.end(Buffer.from(GET));
    return end;
  },
  "the name with a dot at its end": () => fetched(`https://${host}.:${port}/v2/secret`),
  "the name in upper case": () => written(net.connect({ port, host: "SERVICE.test", lookup })),
  "plain HTTP on the port of HTTPS": () => fetched(`http://${host}:${port}/v2/secret`),
  "plain HTTP": () => fetched(`http://${host}/v2/secret`),
  "another port": () => fetched(`https://${host}:4443/v2/secret`),
  "HTTP/2 alone": async () => {
    try {
      return await ended(http2.connect(origin, { lookup, rejectUnauthorized: false }));
    } catch (error) {
      return error.message;
    }
  },
  "HTTP/2 without TLS": () =>
    written(net.connect({ port, host, lookup }), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  "raw bytes": () => written(tls.connect({ port, host, lookup }), Buffer.from([0, 1, 2, 3])),
  "a TLSSocket over a socket": () =>
    ended(new tls.TLSSocket(net.connect({ port, host, lookup })).resume()),
  "TLS over a socket to the address": () => {
    const socket = net.connect(port, address);
    return written(tls.connect({ socket, servername: host, rejectUnauthorized: false }));
  },
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
  "a tunnel through a proxy to another port": () =>
    written(net.connect(port, address), `CONNECT ${host}:1 HTTP/1.1\r\nHost: ${host}:1\r\n\r\n`),
  "a request to a proxy": () =>
    written(net.connect(port, address), `GET http://${host}/v2/secret HTTP/1.1\r\n\r\n`),
  "an upgrade to WebSocket": () =>
    requested(() =>
      https.request(`${origin}/socket`, {
        ...checked,
        headers: { Connection: "Upgrade", Upgrade: "websocket" },
      }),
    ),
};

const outcomes = {};
for (const [name, attempt] of Object.entries(attempts)) outcomes[name] = await attempt();
process.stdout.write(JSON.stringify(outcomes, undefined, 1));
