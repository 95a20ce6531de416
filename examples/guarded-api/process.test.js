import { startProcess } from "latchkey/node";
import { afterAll, beforeEach, expect, test } from "vitest";
import { guardedApi } from "./guarded-api.js";

const emulator = await startProcess({ fixtures: ["weather.yaml"], now: "2026-03-01" });
const api = guardedApi({ serviceUrl: emulator.url, rootKey: "backend" });

afterAll(() => emulator.stop());
beforeEach(() => emulator.reset());

test("a key that has expired is refused", async () => {
  expect(await api.forecast("weather_trial_4Kd9sQ")).toEqual({ status: 200, text: "Sunny" });

  await emulator.clock.advance("31d");

  const answer = await api.forecast("weather_trial_4Kd9sQ");
  expect(answer).toEqual({ status: 401, reason: "EXPIRED" });
});

test("a key that is used up is let in again the next day", async () => {
  const statuses = async () => {
    const answers = [];
    for (let call = 0; call < 3; call++) answers.push(await api.forecast("weather_two_7Hc2xM"));
    return answers.map(({ status }) => status);
  };
  expect(await statuses()).toEqual([200, 200, 401]);

  await emulator.clock.advance("1d");

  expect(await statuses()).toEqual([200, 200, 401]);
});

test("while the service refuses, callers hear when to try again", async () => {
  await emulator.faults.add({
    operation: "keys.verifyKey",
    status: 429,
    headers: { "Retry-After": "30" },
    times: 1,
  });

  expect(await api.forecast("weather_trial_4Kd9sQ")).toEqual({ status: 503, retryAfter: "30" });
  expect((await api.forecast("weather_trial_4Kd9sQ")).status).toBe(200);
});

test("a customer who signs up gets a key", async () => {
  const signedUp = api.signUp("customer_2");

  const match = { externalId: "customer_2" };
  const [call] = await emulator.requests.waitFor({ operation: "keys.createKey", match });
  expect(call.status).toBe(200);
  expect((await api.forecast(await signedUp)).status).toBe(200);
  const keys = await emulator.keys.all();
  expect(keys.map(({ name }) => name).sort()).toEqual(["Signed up", "Trial", "Two a day"]);
});

test("no test sees what another one has done", async () => {
  expect(await emulator.keys.all()).toHaveLength(2);
  expect(await emulator.requests.count()).toBe(0);
});
