import { existsSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { UsageError } from "../../base/usage-error.ts";
import { printable, printableJson } from "../../base/wording/text.ts";
import * as f from "../../schema/fields.ts";
import { readOrThrow } from "../../schema/problems.ts";
import { readDataFile } from "../../seed/files.ts";
import { headOf, isWrong, rowsOf, type Swept, tableOf, type TriedCase } from "../../sweep/table.ts";

type Again = (name: string) => string;
type Accepted = Awaited<ReturnType<typeof readAccepted>>;

/**
 * Reads the known mistakes: the name of each case, its verdict, and why it is accepted.
 * @throws UsageError if the file cannot be read, or has another shape
 */
export async function readAccepted(file: string, isWritten: boolean) {
  const content = isWritten && !existsSync(file) ? [] : await readDataFile(file);
  const row = {
    case: f.filledText(),
    verdict: f.filledText(),
    reason: f.optional(f.text(), "Why it is accepted."),
  };
  return readOrThrow(f.listOf(f.objectOf(row), "rows"), content, `--accept: ${file}`);
}

const isSame = (one: Accepted[0], { row, verdict }: TriedCase) =>
  one.case === row && one.verdict === verdict;

/**
 * Marks accepted cases as allowed.
 * @param isWhole whether all cases ran: then a note names accepted ones that were not found
 */
export function withAccepted(swept: Swept, accepted: Accepted, isWhole: boolean): Swept {
  const cases = swept.cases.map((each) => {
    const isKnown = accepted.some((one) => isSame(one, each));
    return { ...each, isAllowed: each.isAllowed || isKnown };
  });
  const gone = accepted.filter((one) => !cases.some((each) => isSame(one, each)));
  const names = gone.map((one) => `${one.case} ${one.verdict}`).join(", ");
  const note = `Accepted, but no longer found: ${names}. Remove it from the file.`;
  return { ...swept, cases, notes: [...swept.notes, ...(isWhole && names ? [note] : [])] };
}

/** Writes the wrong cases. Keeps the reasons of known ones. */
export async function writeAccepted(file: string, { cases }: Swept, known: Accepted) {
  const rows = new Map(cases.filter(isWrong).map((each) => [each.row, each]));
  const accepted = [...rows.values()].map((each) => {
    const { reason = "" } = known.find((one) => isSame(one, each)) ?? {};
    return { case: each.row, verdict: each.verdict, reason };
  });
  await writeFile(file, `${JSON.stringify(accepted, undefined, 2)}\n`);
}

export function toJson({ calls, cases, notRun, notes }: Swept, again: Again): string {
  const shown = cases.map((each) => {
    const { equal: _, number: __, row, seconds, ...rest } = each;
    return { ...rest, isWrong: isWrong(each), seconds, again: again(row) };
  });
  return printableJson({ calls, notRun, notes, cases: shown });
}

/** @throws UsageError for a file that cannot be written */
export async function writeReports(swept: Swept, targets: readonly string[], again: Again) {
  for (const target of targets) {
    const [format, file = ""] = target.split(/=(.*)/s);
    const report = format === "json" ? `${toJson(swept, again)}\n` : toJunit(swept, again);
    await writeFile(file, report).catch(({ code }) => {
      throw new UsageError(`--report: ${file}: cannot be written (${code})`);
    });
  }
}

/** In a GitHub workflow: writes an annotation for each row, and the table to the summary of the job. */
export async function annotate(swept: Swept, again: Again, output: NodeJS.WritableStream) {
  if (process.env["GITHUB_ACTIONS"] !== "true") return;
  for (const row of rowsOf(swept.cases, again)) {
    const escaped = row.replaceAll("%", "%25").replaceAll("\n", "%0A");
    output.write(`::error title=latchkey sweep::${escaped}\n`);
  }
  const { GITHUB_STEP_SUMMARY: summary } = process.env;
  const table = tableOf(swept, again).replaceAll("```", "'''");
  if (summary) await appendFile(summary, `### latchkey sweep\n\n\`\`\`text\n${table}\n\`\`\`\n`);
}

/** JUnit XML, with a test case for each case. */
function toJunit(swept: Swept, again: Again): string {
  const { cases } = swept;
  const tests = cases.map((each) => {
    const { call, case: name, change, row, said, seconds, verdict, why = "" } = each;
    const advice = `${why}\nchange: ${change}\nagain: ${again(row)}`;
    const result = said === undefined ? verdict : `${verdict}: ${said}`;
    const output = textElement("system-out", {}, result);
    const failure = textElement("failure", { type: verdict, message: why }, advice);
    const about = { classname: call, name, time: seconds.toFixed(3) };
    return element("testcase", about, isWrong(each) ? failure + output : output);
  });
  const time = cases.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3);
  const failures = cases.filter(isWrong).length;
  const counts = { tests: cases.length, failures, errors: 0, skipped: 0, time };
  const notes = textElement("system-out", {}, [headOf(swept), ...swept.notes].join("\n"));
  const content = `\n${[...tests, notes].join("\n")}\n`;
  const suite = element("testsuite", { name: "latchkey sweep", ...counts }, content);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", {}, suite)}\n`;
}

/** @param content XML */
function element(name: string, attributes: object, content: string): string {
  const texts = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(String(value))}"`,
  );
  return `<${name}${texts.join("")}>${content}</${name}>`;
}

function textElement(name: string, attributes: object, text: string): string {
  return element(name, attributes, escapeXml(text));
}

function escapeXml(given: string): string {
  const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" } as const;
  const lines = given.split("\n").map(printable).join("\n");
  return lines.replace(/[&<>"]/g, (character) => escapes[character as keyof typeof escapes]);
}
