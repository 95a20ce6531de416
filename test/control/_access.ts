import type { Fixture } from "../../src/index.ts";
import { NOW } from "../_emulator.ts";
import { records } from "./_control.ts";

export const CONTROL = "the_control_token";

export const world: Fixture = {
  ...records,
  // For the route that removes a fault.
  faults: [{ latency: 0 }],
};
export const reader = { token: "reader", permissions: ["api.*.read_key", "api.*.read_api"] };
export const watcher = { token: "watcher", permissions: ["latchkey.watch", "api.*.read_key"] };
export const listing: Fixture = {
  ...world,
  tokens: [
    { token: "root", permissions: ["*"] },
    { token: "ops", permissions: ["latchkey.control"] },
    { token: "off", permissions: ["*"], enabled: false },
    { token: "old", permissions: ["*"], expires: NOW },
    watcher,
    reader,
  ],
};
export const readersOnly: Fixture = { ...world, tokens: [reader] };
