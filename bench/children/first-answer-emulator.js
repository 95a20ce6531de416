// A test file that calls the emulator in process. Prints the time to the first answer (ms).
const start = performance.now();
const { createEmulator } = await import("latchkey");
const emulator = await createEmulator();
const response = await emulator.fetch("https://api.example.com/v1/apis.listKeys?apiId=api_local", {
  headers: { Authorization: "Bearer any" },
});
await response.json();
console.log(performance.now() - start);
