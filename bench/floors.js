// The floors and aims of performance. Ratios compare with bare node:http on the same machine in the same
// run. The other figures depend on the machine.

const ofBare = "requests/s of bare node:http";
/** For each figure: what it is, the floor and the aim. With `most`, a figure has to be below them. */
const floors = {
  pages100: [`pages of 100 keys, ${ofBare}`, 0.45, 0.6],
  pages10: [`pages of 10 keys, ${ofBare}`, 0.5, 0.75],
  creates: [`creates, ${ofBare}`, 0.4, 0.65],
  verifications: [`verifications, ${ofBare}`, 0.35, 0.5],
  limitsOfMany: [`limits of 10,000 identifiers, ${ofBare}`, 0.4, 0.5],
  farPage: ["time of a far page, of that in a list of 1,000 keys", 1.2, 1, { most: true }],
  coldStart: ["cold start, time of bare node:http", 2.5, 1.7, { most: true }],
  emulatorFile: ["first answer of emulator.fetch, time of msw alone", 0.35, 0.25, { most: true }],
  handlersFile: [
    "first answer of latchkey's msw handlers, time of msw alone",
    1.4,
    1.25,
    { most: true },
  ],
  memory: ["memory at start", 80, 60, { most: true, unit: "MB" }],
  memoryPerKey: ["memory of a made-up key", 2, 1.2, { most: true, unit: "kB" }],
  wait: [
    "longest wait of other clients beside the largest bodies",
    500,
    250,
    { most: true, unit: "ms" },
  ],
};

/**
 * Compares figures with the floors. A figure is `{ value, isDoubtful, byCpu }`. It is doubtful if the
 * client was slower than the bare server: that server could have done more, so the state is at best
 * `unsure`. `byCpu` is the same ratio by processor time, and is only shown.
 */
export function judge(figures) {
  return Object.entries(floors).map(([name, [title, floor, aim, { most = false, unit } = {}]]) => {
    const { byCpu, value, isDoubtful = false } = figures[name] ?? {};
    const reaches = (limit) => (most ? value <= limit : value >= limit);
    const show = (figure) => {
      if (figure === undefined || Number.isNaN(figure)) return "-";
      return unit === undefined ? figure.toFixed(2) : `${Number(figure.toFixed(1))} ${unit}`;
    };
    const state = !reaches(floor) ? "FAIL" : isDoubtful ? "unsure" : "pass";
    const isMeasured = value !== undefined && !Number.isNaN(value);
    return [
      title,
      show(value),
      show(byCpu),
      `${most ? "at most" : "at least"} ${show(floor)}`,
      isMeasured ? state : "not measured",
      show(aim) + (reaches(aim) ? ", reached" : ""),
    ];
  });
}
