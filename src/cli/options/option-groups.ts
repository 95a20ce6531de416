import type { OptionName } from "./options.ts";

/** The options of `serve` and `exec` under the headings of the help, in the order of the help. */
export const optionGroups: Readonly<Record<string, readonly OptionName[]>> = {
  "What it starts with": [
    "fixture",
    "generate",
    "randomSeed",
    "now",
    "madeUntil",
    "state",
    "watch",
  ],
  "Who may call": ["token", "isolate", "controlToken", "control", "allowHost", "allowOrigin"],
  "What it serves": [
    "versions",
    "as",
    "sunset",
    "strict",
    "quirk",
    "operation",
    "latency",
    "ignoreFinding",
  ],
  "Where it listens, and what it shows": [
    "port",
    "host",
    "publicUrl",
    "ui",
    "open",
    "log",
    "json",
    "config",
    "exitWithStdin",
  ],
};
