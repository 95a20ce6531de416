// A test file with latchkey's handlers for msw. Prints the time to the first answer (ms).
const start = performance.now();
const { setupServer } = await import("msw/node");
const { createEmulator } = await import("latchkey");
const { createHandlers } = await import("latchkey/msw");
const baseUrl = "https://api.example.com";
const server = setupServer(...createHandlers(await createEmulator(), { baseUrl }));
server.listen();
const response = await fetch(`${baseUrl}/v1/apis.listKeys?apiId=api_local`, {
  headers: { Authorization: "Bearer any" },
});
await response.json();
console.log(performance.now() - start);
server.close();
