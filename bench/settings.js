// How long and how often each part measures: `full` for `npm run bench`, `quick` for `bench:check`.

export const full = {
  /** The number of rounds for each figure; contenders take turns in each round. */
  rounds: 5,
  connections: 32,
  /** Seconds of load in each round, and of the warm-up before it, which does not count. */
  seconds: 2,
  warmUp: 0.5,
  /** Seconds of load before the first round of a row, so that V8 has compiled the code. */
  heatUp: 2,
  throughputKeys: [10, 10_000],
  throughputRows: [
    "pages100",
    "pages10",
    "creates",
    "pages100v2",
    "pages10v2",
    "createsV2",
    "verifications",
    "limitsOfOne",
    "limitsOfMany",
    "mix",
  ],
  farPageKeys: [1_000, 100_000, 1_000_000],
  farPageRequests: 3_000,
  starts: 15,
  hasDemo: true,
  /** The number of processes of each kind, and of runs of vitest. */
  testFiles: { processes: 15, runs: 5 },
  memoryKeys: 100_000,
  inProcess: { calls: ["pages100", "pages10", "creates"], doors: ["fetch", "msw"], perRound: 400 },
  inProcessHeatUp: 1_000,
  worldKeys: [1_000, 10_000],
  worldRounds: 25,
  waitRounds: 2,
  seedingKeys: [1_000, 10_000, 100_000, 1_000_000],
  /** Short rounds, because there are many of them. */
  peers: { seconds: 1, heatUp: 1 },
};

export const quick = {
  ...full,
  rounds: 3,
  seconds: 0.5,
  warmUp: 0.15,
  heatUp: 0.5,
  throughputKeys: [10_000],
  throughputRows: ["pages100", "pages10", "creates", "verifications"],
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
  waitRounds: 1,
};
