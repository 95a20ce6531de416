import type { OptionName } from "./options.ts";

/** The headings of the help of `serve` and `exec`. */
type Heading =
  | "What it starts with"
  | "Who may call"
  | "What it serves"
  | "Where it listens, and what it shows";

/** The heading of each option of `serve` and `exec`, in the order of the help. */
export const headingOf: Readonly<Record<OptionName, Heading>> = {
  fixture: "What it starts with",
  generate: "What it starts with",
  randomSeed: "What it starts with",
  now: "What it starts with",
  madeUntil: "What it starts with",
  state: "What it starts with",
  watch: "What it starts with",
  token: "Who may call",
  isolate: "Who may call",
  controlToken: "Who may call",
  control: "Who may call",
  allowHost: "Who may call",
  allowOrigin: "Who may call",
  versions: "What it serves",
  as: "What it serves",
  sunset: "What it serves",
  strict: "What it serves",
  quirk: "What it serves",
  operation: "What it serves",
  latency: "What it serves",
  ignoreFinding: "What it serves",
  port: "Where it listens, and what it shows",
  host: "Where it listens, and what it shows",
  publicUrl: "Where it listens, and what it shows",
  ui: "Where it listens, and what it shows",
  open: "Where it listens, and what it shows",
  log: "Where it listens, and what it shows",
  json: "Where it listens, and what it shows",
  config: "Where it listens, and what it shows",
  exitWithStdin: "Where it listens, and what it shows",
};
