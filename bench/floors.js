// The floors and aims of performance. Ratios compare with bare node:http on the same machine in the same
// run. The other figures depend on the machine.

const floors = [
  {
    figure: "pages100",
    title: "pages of 100 keys, requests/s of bare node:http",
    floor: 0.45,
    aim: 0.6,
  },
  {
    figure: "pages10",
    title: "pages of 10 keys, requests/s of bare node:http",
    floor: 0.5,
    aim: 0.75,
  },
  { figure: "creates", title: "creates, requests/s of bare node:http", floor: 0.4, aim: 0.65 },
  {
    figure: "verifications",
    title: "verifications, requests/s of bare node:http",
    floor: 0.35,
    aim: 0.5,
  },
  {
    figure: "limitsOfMany",
    title: "limits of 10,000 identifiers, requests/s of bare node:http",
    floor: 0.4,
    aim: 0.5,
  },
  {
    figure: "farPage",
    title: "time of a far page, of that in a list of 1,000 keys",
    floor: 1.2,
    aim: 1,
    isMost: true,
  },
  {
    figure: "coldStart",
    title: "cold start, time of bare node:http",
    floor: 2.5,
    aim: 1.7,
    isMost: true,
  },
  {
    figure: "emulatorFile",
    title: "first answer of emulator.fetch, time of msw alone",
    floor: 0.35,
    aim: 0.25,
    isMost: true,
  },
  {
    figure: "handlersFile",
    title: "first answer of latchkey's msw handlers, time of msw alone",
    floor: 1.4,
    aim: 1.25,
    isMost: true,
  },
  { figure: "memory", title: "memory at start", floor: 80, aim: 60, unit: "MB", isMost: true },
  {
    figure: "memoryPerKey",
    title: "memory of a made-up key",
    floor: 2,
    aim: 1.2,
    unit: "kB",
    isMost: true,
  },
  {
    figure: "fetchPage100",
    title: "page of 100 keys through emulator.fetch",
    floor: 60,
    aim: 30,
    unit: "µs",
    isMost: true,
  },
  {
    figure: "wait",
    title: "longest wait of other clients beside the largest bodies",
    floor: 500,
    aim: 250,
    unit: "ms",
    isMost: true,
  },
  { figure: "reset", title: "reset of 1,000 keys", floor: 20, aim: 2, unit: "ms", isMost: true },
];

/**
 * Compares figures with the floors. A figure is `{ value, note, isDoubtful, byCpu }`. It is doubtful if
 * the client was slower than the bare server: that server could have done more, so the state is at best
 * `unsure`. `byCpu` is the same ratio by processor time, and is only shown.
 */
export function judge(figures) {
  return floors.map((each) => {
    const { byCpu, value, note = "", isDoubtful = false } = figures[each.figure] ?? {};
    const reaches = (limit) => (each.isMost ? value <= limit : value >= limit);
    const state = !reaches(each.floor) ? "below" : isDoubtful ? "unsure" : "ok";
    return {
      title: note === "" ? each.title : `${each.title} (${note})`,
      state: value === undefined || Number.isNaN(value) ? "not measured" : state,
      isAtAim: reaches(each.aim),
      value: show(value, each),
      byCpu: byCpu === undefined || Number.isNaN(byCpu) ? "" : show(byCpu, each),
      floor: `${each.isMost ? "at most" : "at least"} ${show(each.floor, each)}`,
      aim: show(each.aim, each),
    };
  });
}

function show(value, { unit }) {
  if (value === undefined || Number.isNaN(value)) return "-";
  return unit === undefined ? value.toFixed(2) : `${Number(value.toFixed(1))} ${unit}`;
}
