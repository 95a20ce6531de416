import { createEmulator } from "latchkey";
import { createHandlers } from "latchkey/msw";
import { setupWorker } from "msw/browser";
import "./key-list.js";

const baseUrl = "https://api.example.com";
const token = "any";
const apiId = "api_local";

// msw's service worker passes requests to `baseUrl` to the emulator, which runs in this page.
const emulator = await createEmulator();
const worker = setupWorker(...createHandlers(emulator, { baseUrl, others: "refuse" }));
await worker.start({ onUnhandledRequest: "bypass" });

function showKeys() {
  const list = document.createElement("key-list");
  for (const [name, value] of Object.entries({ "base-url": baseUrl, "api-id": apiId, token })) {
    list.setAttribute(name, value);
  }
  document.querySelector("main").replaceChildren(list);
}

document.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const response = await fetch(`${baseUrl}/v2/keys.createKey`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({
      apiId,
      name: event.target.elements.name.value,
      expires: emulator.clock.now() + 86_400_000,
    }),
  });
  const { data, error } = await response.json();
  document.querySelector("output").textContent = data?.key ?? error.detail;
  showKeys();
});

document.querySelector("#verify").addEventListener("click", async () => {
  const output = document.querySelector("output");
  const response = await fetch(`${baseUrl}/v2/keys.verifyKey`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ key: output.textContent }),
  });
  const { data, error } = await response.json();
  document.querySelector("#outcome").textContent = data?.code ?? error.detail;
});

// The web page of the emulator, loaded only if somebody asks for it.
document.querySelector("#show").addEventListener("click", async () => {
  const { mountPage } = await import("latchkey/page");
  mountPage(document.querySelector("aside"), emulator);
});

showKeys();
