import { appendFile, readFile, writeFile } from "node:fs/promises";
import { printable, printableJson } from "../../base/wording/text.ts";
import { UsageError } from "../../base/usage-error.ts";
import { isRecord } from "../../base/json.ts";
import { headOf, isWrong, rowsOf, type Swept, tableOf } from "../../sweep/table.ts";

type Again = (name: string) => string;
/** A row that is known: the name of its case and its verdict, and why it stays. */
interface Accepted {
  readonly case: string;
  readonly verdict: string;
  readonly reason?: string;
}
type Target = readonly [format: "junit" | "json", file: string];

/** @throws UsageError for a report of another form than `junit=FILE` or `json=FILE` */
export function readTargets(texts: readonly string[]): Target[] {
  return texts.map((text) => {
    const [, format, file] = /^(junit|json)=(.+)$/.exec(text) ?? [];
    if (format === undefined || file === undefined) {
      throw new UsageError("--report: expected junit=FILE or json=FILE, like junit=sweep.xml");
    }
    return [format as Target[0], file];
  });
}

/** @throws UsageError if the file cannot be read, or has another shape */
export async function readAccepted(file: string, isWritten: boolean): Promise<Accepted[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" && isWritten) return "[]";
    throw new UsageError(
      `--accept: ${file}: cannot be read (${error.code}); --accept-all writes it`,
    );
  });
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    // Refused below.
  }
  const isOne = (item: unknown) =>
    isRecord(item) && typeof item["case"] === "string" && typeof item["verdict"] === "string";
  if (Array.isArray(read) && read.every(isOne)) return read as Accepted[];
  const expected = "expected a list of objects with `case`, `verdict` and perhaps `reason`";
  throw new UsageError(`--accept: ${file}: ${expected}; --accept-all writes one`);
}

const isSame = (one: Accepted, { row, verdict }: Swept["cases"][number]) =>
  one.case === row && one.verdict === verdict;

/** Only rows that are not accepted are wrong. Those that did not come are named, if all could have come. */
export function withAccepted(swept: Swept, accepted: readonly Accepted[], isWhole: boolean): Swept {
  const isKnown = (each: Swept["cases"][number]) => accepted.some((one) => isSame(one, each));
  const cases = swept.cases.map((each) => ({
    ...each,
    isAllowed: each.isAllowed || isKnown(each),
  }));
  const gone = accepted.filter((one) => !swept.cases.some((each) => isSame(one, each)));
  const names = gone.map((one) => `${one.case} ${one.verdict}`).join(", ");
  const note = `Accepted, but not found any more: ${names}. Remove that from the file.`;
  return {
    ...swept,
    cases,
    notes: isWhole && gone.length > 0 ? [...swept.notes, note] : swept.notes,
  };
}

/** Writes the wrong cases, with the reasons that are known. */
export async function writeAccepted(file: string, { cases }: Swept, known: readonly Accepted[]) {
  const rows = new Map(cases.filter(isWrong).map((each) => [each.row, each]));
  const accepted = [...rows.values()].map((each) => {
    const { reason = "" } = known.find((one) => isSame(one, each)) ?? {};
    return { case: each.row, verdict: each.verdict, reason };
  });
  await writeFile(file, `${JSON.stringify(accepted, undefined, 2)}\n`);
}

export function isAnyWrong({ cases }: Swept): boolean {
  return cases.some(isWrong);
}

export function toJson({ calls, cases, notRun, notes }: Swept, again: Again): object {
  const shown = cases.map(({ row, seconds, ...each }) => {
    return { ...each, isWrong: isWrong({ ...each, row, seconds }), seconds, again: again(row) };
  });
  return { calls, notRun, notes, cases: shown };
}

/** Writes the reports, and in a workflow of GitHub its annotations and its summary. */
export async function write(
  swept: Swept,
  targets: readonly Target[],
  again: Again,
  isJsonPrinted: boolean,
): Promise<void> {
  for (const [format, file] of targets) {
    const json = () => `${printableJson(toJson(swept, again))}\n`;
    await writeFile(file, format === "json" ? json() : toJunit(swept, again)).catch((error) => {
      throw new UsageError(`--report: ${file}: cannot be written (${error.code})`);
    });
  }
  if (process.env["GITHUB_ACTIONS"] !== "true") return;
  // With `--json`, stdout has the JSON alone. The runner of GitHub reads stderr too.
  const stream = isJsonPrinted ? process.stderr : process.stdout;
  for (const { change, shows, title, why } of rowsOf(swept.cases)) {
    const text = `${title}\n${why}\nchange: ${change}\nagain: ${again(shows)}`;
    const escaped = text.replaceAll("%", "%25").replaceAll("\r", "").replaceAll("\n", "%0A");
    stream.write(`::error title=latchkey sweep::${escaped}\n`);
  }
  const { GITHUB_STEP_SUMMARY: summary } = process.env;
  if (!summary) return;
  const table = tableOf(swept, again).replaceAll("```", "'''");
  await appendFile(summary, `### latchkey sweep\n\n\`\`\`text\n${table}\n\`\`\`\n`);
}

/** A test case for each case, in the form that CI servers read. */
function toJunit(swept: Swept, again: Again): string {
  const { cases } = swept;
  const tests = cases.map((each) => {
    const { call, change = "", row, said, seconds, verdict, why = "" } = each;
    const head = `  <testcase classname="${inXml(call)}" name="${inXml(each.case)}" time="${seconds.toFixed(3)}">`;
    const text = inXml([verdict, why, `change: ${change}`, `again: ${again(row)}`].join("\n"));
    const wrong = `<failure type="${verdict}" message="${inXml(why)}">${text}</failure>`;
    const output = `<system-out>${inXml(said === undefined ? verdict : `${verdict}: ${said}`)}</system-out>`;
    return `${head}${isWrong(each) ? wrong : ""}${output}</testcase>`;
  });
  const time = cases.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3);
  const wrong = cases.filter(isWrong).length;
  const suite = `<testsuite name="latchkey sweep" tests="${cases.length}" failures="${wrong}" errors="0" skipped="0" time="${time}">`;
  const notes = `  <system-out>${inXml([headOf(swept), ...swept.notes].join("\n"))}</system-out>`;
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", suite, ...tests, notes];
  return `${[...lines, "</testsuite>", "</testsuites>"].join("\n")}\n`;
}

function inXml(text: string): string {
  const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" } as const;
  const lines = text.split("\n").map(printable).join("\n");
  return lines.replace(/[&<>"]/g, (character) => escapes[character as keyof typeof escapes]);
}
