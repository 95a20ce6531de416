// `npm run bench:endure`: an endurance test. Ten minutes of full load, then hundreds of clients that are
// idle, slow, or read no replies, then a large state that is saved while requests arrive. It prints a
// line for each check, and exits with 1 if one fails. `SECONDS=60` shortens the load.
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDeafReaders, openIdle, openSlowReaders, openSlowWriters } from "./endure-clients.js";
import { ask, end, openFilesOf, startEmulator } from "./endure-process.js";
import { emptyLog, listPath, load, memoryOf, scratch } from "./processes.js";
import { median } from "./rounds.js";
import {
  createRandom,
  createRequests,
  fixtureToVerify,
  fixtureVerifyRequests,
  limitRequests,
  listRequests,
  mix,
  shuffle,
} from "./workloads.js";

const SECONDS = Number(process.env.SECONDS ?? 600);
const [KEYS, CONNECTIONS] = [10_000, 32];
/** Identifiers whose calls are limited. */
const LIMITED = 400;
/** Seconds between two resets under load, so that the world does not grow without bound. */
const RESET_EVERY = 5;
const [MAX_GROWTH, MAX_TAIL] = [1.15, 20];
/** Rounds in which the rate is measured without and with a crowd; the median ratio counts. */
const [ROUNDS, ROUND_SECONDS, SETTLING_SECONDS, MIN_RATIO] = [5, 3, 2, 0.9];
const [IDLE, SLOW, DEAF] = [1_000, 200, 50];
/** Memory (MB) for each client that reads no replies; one read of its requests asks for 30 MB. */
const MAX_PER_DEAF = 6;
/** The time-out of a request (s), plus the time until Node checks for it. */
const REQUEST_TIMEOUT = 60 + 5 + 5;
const [STATE_KEYS, SAVES, MAX_PAUSE] = [100_000, 7, 50];

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
let failures = 0;

console.log(`endure: ${SECONDS} s of load over ${KEYS.toLocaleString("en")} keys, then crowds`);
const fixture = join(scratch, "keys.json");
writeFileSync(fixture, JSON.stringify(fixtureToVerify("api_local")));
const emulator = await startEmulator(KEYS, ["--fixture", fixture]);
const lists = [
  ...(await listRequests(emulator, 100)),
  ...fixtureVerifyRequests(emulator),
  ...limitRequests(emulator, LIMITED),
];
const requests = mix(shuffle(lists, createRandom()), createRequests(emulator));
await bearLoad();
await bearCrowds();
check("it exits in order after a signal", `exit code ${await end(emulator)}`, isInOrder);
await bearSaving();
console.log(failures === 0 ? "fine" : `FAILED: ${failures}`);
process.exit(failures === 0 ? 0 : 1);

function check(title, figure, isGood) {
  const isFine = typeof isGood === "function" ? isGood(figure) : isGood;
  if (!isFine) failures += 1;
  console.log(`${isFine ? "pass" : "FAIL"}  ${title}: ${figure}`);
}

function isInOrder(figure) {
  return figure === "exit code 0";
}

async function reset() {
  await ask(emulator, { method: "POST", path: "/_latchkey/reset" });
}

async function bearLoad() {
  const minutes = [];
  let resets = 0;
  const start = performance.now();
  const timer = setInterval(() => {
    const second = Math.floor((performance.now() - start) / 1_000);
    const minute = (minutes[Math.floor(second / 60)] ??= []);
    minute.push(memoryOf(emulator));
    if (minute.length === 1 && minutes.length > 1) {
      console.log(`      minute ${minutes.length - 1}: ${mean(minutes.at(-2)).toFixed(0)} MB`);
    }
    if (second % RESET_EVERY !== 0) return;
    resets += 1;
    emptyLog();
    reset().catch((error) => check("a reset under load", error.message, false));
  }, 1_000);
  const result = await load(emulator, { connections: CONNECTIONS, seconds: SECONDS, requests });
  clearInterval(timer);
  await reset();

  const { answered, errors, max, p50, p99, rate } = result;
  const told = Object.entries(errors).map(([reason, count]) => `${count} times ${reason}`);
  const asked = `${answered} requests, ${rate.toFixed(0)}/s, ${resets} resets`;
  check("no errors under load", `${asked}; ${told.join(", ") || "none"}`, told.length === 0);
  const tail = `${(p99 / p50).toFixed(1)} (${p50.toFixed(1)} and ${p99.toFixed(1)} ms, longest ${max.toFixed(0)} ms)`;
  check(`p99 below ${MAX_TAIL} times p50`, tail, p99 < MAX_TAIL * p50);
  const [, second, ...later] = minutes.filter(({ length }) => length > 50).map(mean);
  if (later.length === 0) {
    console.log("      memory: too short a run to judge by; it takes 180 s");
    return;
  }
  const growth = Math.max(...later) / second;
  const figure = `${growth.toFixed(2)} (${second.toFixed(0)} MB in minute 2, then ${Math.max(...later).toFixed(0)} MB at most)`;
  check(`memory grows by ${MAX_GROWTH} at most`, figure, growth <= MAX_GROWTH);
}

async function bearCrowds() {
  await sleep(1_000);
  const files = openFilesOf(emulator);
  const writers = await openSlowWriters(emulator, SLOW);
  const begin = performance.now();
  await bearDeaf();
  await costOf(`${SLOW} clients that send a few bytes of a body a second`, () =>
    openSlowWriters(emulator, SLOW),
  );
  await costOf(`${SLOW} clients that read a few bytes of their pages a second`, () =>
    openSlowReaders(emulator, SLOW),
  );
  await costOf(
    `${IDLE} idle connections`,
    () => openIdle(emulator, IDLE),
    async (idle) => {
      const answers = await idle.answers();
      return answers === IDLE ? undefined : `only ${answers} of them still work`;
    },
  );

  await sleep(Math.max(0, REQUEST_TIMEOUT * 1_000 - (performance.now() - begin)));
  const replies = await Promise.race([writers.replies, sleep(0)]);
  const told = replies?.filter((reply) => reply.startsWith("HTTP/1.1 408")).length;
  const cut = replies?.filter((reply) => reply === "").length;
  const ends = replies ? `${told} told 408, ${cut} hung up on` : "some go on";
  check(
    `a body that takes more than a minute is given up, ${SLOW} times`,
    ends,
    told + cut === SLOW,
  );
  await writers.close();
  await sleep(1_000);
  const left = openFilesOf(emulator);
  check("all connections are gone afterwards", `${files} open files, then ${left}`, left <= files);
}

/**
 * Measures how much a crowd of clients slows down the others: rounds with and without it, in turn. The
 * result compares requests for each second of the emulator's processor time, because other processes
 * may take a share of the processor. The plain rate is printed beside it.
 */
async function costOf(title, open, look = () => undefined) {
  const faults = new Set();
  const measure = async () => {
    const job = { connections: 10, seconds: ROUND_SECONDS, requests };
    const { cpu, errors, rate } = await load(emulator, job);
    const effort = 1 / cpu;
    for (const reason of Object.keys(errors)) faults.add(reason);
    await reset();
    emptyLog();
    return { effort, rate };
  };
  const measureBeside = async () => {
    const crowd = await open();
    await sleep(SETTLING_SECONDS * 1_000);
    const figures = await measure();
    const fault = await look(crowd);
    if (fault !== undefined) faults.add(fault);
    await crowd.close();
    return figures;
  };
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const isFirst = round % 2 === 0;
    const before = isFirst ? await measure() : undefined;
    const beside = await measureBeside();
    rounds.push([beside, before ?? (await measure())]);
  }
  const ratioOf = (name) => median(rounds.map(([beside, without]) => beside[name] / without[name]));
  const ratio = ratioOf("effort");
  const figure = [`${ratio.toFixed(2)} (of the rate ${ratioOf("rate").toFixed(2)})`, ...faults];
  const isFine = ratio >= MIN_RATIO && faults.size === 0;
  check(
    `beside ${title}, others get ${MIN_RATIO} of what they get without`,
    figure.join("; "),
    isFine,
  );
}

async function bearDeaf() {
  const before = memoryOf(emulator);
  const crowd = await openDeafReaders(emulator, DEAF);
  let most = before;
  let longest = 0;
  for (let second = 0; second < 15; second += 1) {
    const start = performance.now();
    await ask(emulator, requests[0]);
    longest = Math.max(longest, performance.now() - start);
    most = Math.max(most, memoryOf(emulator));
    await sleep(1_000);
  }
  await crowd.close();
  const each = (most - before) / DEAF;
  const figure = `${each.toFixed(1)} MB each; others waited ${longest.toFixed(0)} ms at most`;
  const title = `${DEAF} clients that ask for 2,000 pages and take none cost ${MAX_PER_DEAF} MB each at most`;
  check(title, figure, each <= MAX_PER_DEAF && longest < 5_000);
}

async function bearSaving() {
  const file = join(scratch, "state.json");
  const large = await startEmulator(STATE_KEYS, ["--state", file]);
  const list = { path: listPath(large, { limit: 1 }) };
  const creates = createRequests(large);
  const savedAt = () => statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  const longestUntil = async (isOver) => {
    let longest = 0;
    while (!isOver()) {
      const start = performance.now();
      await ask(large, list);
      longest = Math.max(longest, performance.now() - start);
    }
    return longest;
  };
  const [saving, idle] = [[], []];
  // The first one belongs to a process that has just started.
  for (let save = 0; save <= SAVES; save += 1) {
    const [before, start] = [savedAt(), performance.now()];
    await ask(large, creates[save]);
    saving.push(await longestUntil(() => savedAt() !== before));
    const end = 2 * performance.now() - start;
    idle.push(await longestUntil(() => performance.now() > end));
  }
  const [saved, otherwise] = [saving, idle].map((waits) => waits.slice(1));
  // Other work on the machine and garbage collection delay requests too.
  const more = median(saved) - median(otherwise);
  const told = [saved, otherwise].map(
    (waits) => `${median(waits).toFixed(0)} ms (${Math.max(...waits).toFixed(0)} at most)`,
  );
  const title = `to save ${STATE_KEYS.toLocaleString("en")} keys keeps a request waiting for ${MAX_PAUSE} ms at most`;
  const figure = `${Math.max(0, more).toFixed(0)} ms: longest wait ${told[0]} while saving, ${told[1]} otherwise, median of ${SAVES}`;
  check(title, figure, more <= MAX_PAUSE);
  check("the state is saved when it ends", `exit code ${await end(large)}`, isInOrder);
}
