import type { Fixture } from "../../src/index.ts";
import { NOW } from "../_emulator.ts";
import { API_ONE } from "./_control.ts";

export const CONTROL = "the_control_token";

export const world: Fixture = {
  apis: [{ id: "api_one" }],
  keys: [API_ONE],
  // For the route that removes a fault.
  faults: [{ latency: 0 }],
};
export const reader = { token: "reader", permissions: ["api.*.read_key", "api.*.read_api"] };
export const listing: Fixture = {
  ...world,
  tokens: [
    { token: "root", permissions: ["*"] },
    { token: "ops", permissions: ["latchkey.control"] },
    { token: "off", permissions: ["*"], enabled: false },
    { token: "old", permissions: ["*"], expires: NOW },
    reader,
  ],
};
export const readersOnly: Fixture = { ...world, tokens: [reader] };
