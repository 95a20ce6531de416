// A test file with msw and one mocked route, without latchkey. Prints the time to the first answer (ms).
const start = performance.now();
const { http, HttpResponse } = await import("msw");
const { setupServer } = await import("msw/node");
const url = "https://api.example.com/v1/apis.listKeys";
const server = setupServer(http.get(url, () => HttpResponse.json({ keys: [], total: 0 })));
server.listen();
const response = await fetch(`${url}?apiId=api_local`, {
  headers: { Authorization: "Bearer any" },
});
await response.json();
console.log(performance.now() - start);
server.close();
