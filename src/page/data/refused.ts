/** A call that the emulator refused or did not answer, with a line for each problem. */
export class Refused extends Error {
  override readonly name = "Refused";
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  readonly problems: readonly string[];

  constructor(status: number, problems: readonly string[]) {
    super(problems.join("; "));
    this.status = status;
    this.problems = problems;
  }
}

/** The lines to show for an error of any kind. */
export function linesOf(error: unknown): readonly string[] {
  if (error instanceof Refused) return error.problems;
  return [error instanceof Error ? error.message : String(error)];
}

export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** The envelopes of operations, in v1 and in v2, and of control routes. */
interface Envelope {
  readonly error?: {
    readonly code?: string;
    readonly message?: string;
    readonly type?: string;
    readonly detail?: string;
    readonly problems?: readonly string[];
  };
}

/** The address of the page about a type of problem, up to the type. */
const TYPES = /^.*\/errors\//;

export async function toRefused(response: Response): Promise<Refused> {
  const text = await response.text().catch(() => "");
  const { status } = response;
  try {
    const { error = {} } = JSON.parse(text) as Envelope;
    const { detail, problems, type } = error;
    const { code = type?.replace(TYPES, ""), message = detail } = error;
    // An operation joins all problems in one message.
    const lines = problems ?? message?.split("; ") ?? [];
    const shown = code === undefined ? lines : lines.map((line) => `${status} ${code}: ${line}`);
    // In v2, only the hint says which member is wrong.
    const hint = response.headers.get("X-Latchkey-Hint")?.split("; ") ?? [];
    return new Refused(status, shown.length === 0 ? [`status ${status}`] : [...shown, ...hint]);
  } catch {
    return new Refused(status, [text === "" ? `status ${status}` : text]);
  }
}
