// The parts of a bench, in the order of the report.
import { measureFarPage } from "./far-page.js";
import { measureInProcess } from "./in-process.js";
import { measureMemoryPerKey } from "./memory-per-key.js";
import { measureSeeding } from "./seeding.js";
import { measureStart } from "./start.js";
import { measureTestFile } from "./test-file.js";
import { measureThroughput } from "./throughput.js";
import { measureWaits } from "./waits.js";
import { measureWorlds } from "./worlds.js";

export const parts = {
  throughput: measureThroughput,
  "far-page": measureFarPage,
  start: measureStart,
  "test-file": measureTestFile,
  "memory-per-key": measureMemoryPerKey,
  "in-process": measureInProcess,
  worlds: measureWorlds,
  waits: measureWaits,
  seeding: measureSeeding,
};
