import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";

/** A certificate for other.test, valid until 2126, and its key, which opens nothing but these tests. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBmDCCAT6gAwIBAgIUXbcg0KSC+vfKOW9y03+Au9Ae7VEwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKb3RoZXIudGVzdDAgFw0yNjExMjMxMzQwMDBaGA8yMTI2MTAz
MDEzNDAwMFowFTETMBEGA1UEAwwKb3RoZXIudGVzdDBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABBuuTNPvjqqe8jPZIpLHIeeKXbK0NmGK6Ul3hh1S+KFp6W+fCpvd
H4xeVDNkKGG47IM/Xg0QDcvL7c3O/7wBFZWjajBoMB0GA1UdDgQWBBRitb5izCPt
x+sfx0d8jbWSzHQUFDAfBgNVHSMEGDAWgBRitb5izCPtx+sfx0d8jbWSzHQUFDAP
BgNVHRMBAf8EBTADAQH/MBUGA1UdEQQOMAyCCm90aGVyLnRlc3QwCgYIKoZIzj0E
AwIDSAAwRQIgaU9DeCw1ZySxDhjPsAIHWa0MWP+e/BpzRulmhmO2vKoCIQCCVhvf
n+70ViGwX+U3dhzhnYOPVba8g2YngzmCqyPXiA==
-----END CERTIFICATE-----
`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgePgWje1GvlpkIxq+
thQd4cTu21SjMVCwuLgtirD7CsqhRANCAAQbrkzT746qnvIz2SKSxyHnil2ytDZh
iulJd4YdUvihaelvnwqb3R+MXlQzZChhuOyDP14NEA3Ly+3Nzv+8ARWV
-----END PRIVATE KEY-----
`;

/** A server that stands for every host that is not redirected. It answers with the request that it got. */
export async function givenOtherHost(protocol: "http" | "https") {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      const { headers, method, url } = request;
      response.end(JSON.stringify({ host: headers.host, method, url, body }));
    });
  };
  const server =
    protocol === "http" ? http.createServer(answer) : https.createServer({ cert, key }, answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `${protocol}://other.test:${port}`,
    cert,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
