// How long and how often each part measures: `full` for `npm run bench`, `quick` for `bench:check`.

export const full = {
  /** Each figure is the median of so many rounds, in which the contenders take turns. */
  rounds: 5,
  connections: 32,
  /** Of each round of load, and what goes before it and does not count. */
  seconds: 2,
  warmUp: 0.5,
  /** Of load before the first round of a row, so that its code has been compiled. */
  heatUp: 2,
  throughputKeys: [10, 10_000],
  throughputRows: ["pages100", "pages10", "creates", "mix"],
  farPageKeys: [1_000, 100_000, 1_000_000],
  farPageRequests: 3_000,
  starts: 15,
  hasDemo: true,
  /** Processes of each kind, and runs of vitest. */
  testFiles: { processes: 15, runs: 5 },
  memoryKeys: 100_000,
  inProcess: { calls: ["pages100", "pages10", "creates"], doors: ["fetch", "msw"], perRound: 400 },
  inProcessHeatUp: 1_000,
  worldKeys: [1_000, 10_000],
  worldRounds: 25,
  seedingKeys: [1_000, 10_000, 100_000, 1_000_000],
  /** There are many of them. */
  peers: { seconds: 1, heatUp: 1 },
};

export const quick = {
  ...full,
  rounds: 3,
  seconds: 0.5,
  warmUp: 0.15,
  heatUp: 0.5,
  throughputKeys: [10_000],
  throughputRows: ["pages100", "pages10", "creates"],
  farPageKeys: [1_000, 100_000],
  farPageRequests: 600,
  starts: 5,
  hasDemo: false,
  testFiles: { processes: 5, runs: 0 },
  memoryKeys: 50_000,
  inProcess: { calls: ["pages100"], doors: ["fetch"], perRound: 200 },
  inProcessHeatUp: 600,
  worldKeys: [1_000],
  worldRounds: 11,
};
