import { isAborted, Refused, toRefused } from "./refused.ts";
import type { Tokens, Connection } from "./connection.ts";

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Default: the token of operations. */
  readonly token?: string;
}

/** A reply as it came. */
export interface RawReply {
  readonly status: number;
  readonly hint: string | undefined;
  /** The JSON of the body, else its text. */
  readonly body: unknown;
  /** How long it took. */
  readonly milliseconds: number;
}

/** A new key, as the service answers it. */
export interface MadeKey {
  readonly key: string;
  readonly keyId: string;
}

/** The header of calls that leave no trace. */
const UNSEEN = { "X-Latchkey-Unseen": "true" };

/** Calls the emulator with a token, and with the control token, if there is one, for control routes. */
export class Client {
  readonly connection: Connection;
  readonly token: string;
  readonly controlToken: string | undefined;
  /** The key that the page created last. Its value is kept too, because most values cannot be read again. */
  made: MadeKey | undefined;

  constructor(connection: Connection, { controlToken, token }: Tokens) {
    this.connection = connection;
    this.token = token;
    this.controlToken = controlToken;
  }

  /** The value of a key, if the page created it last. */
  madeValue(keyId: string | undefined): string | undefined {
    return this.made !== undefined && this.made.keyId === keyId ? this.made.key : undefined;
  }

  /** The value of a recoverable key, without a trace. @throws Refused */
  async valueOf(keyId: string): Promise<string | undefined> {
    const sent = { method: "POST", body: { keyId, decrypt: true }, headers: UNSEEN };
    const { data } = await this.#json<{ data: { plaintext?: string } }>("v2/keys.getKey", sent);
    return data.plaintext;
  }

  /**
   * Calls an operation of v2 like any client does: faults are applied, and the journal records it.
   * @param operation like `keys.createKey`
   * @throws Refused
   */
  async call<Data>(operation: string, body: object): Promise<Data> {
    return (await this.#json<{ data: Data }>(`v2/${operation}`, { method: "POST", body })).data;
  }

  /**
   * Makes any call, and resolves to the whole reply, also to the reply of a refusal.
   * @param path like `/v2/keys.createKey`
   * @throws Refused without a reply
   */
  async try(path: string, sent: Pick<Sent, "body" | "method">): Promise<RawReply> {
    const start = performance.now();
    const response = await this.#fetch(path.slice(1), sent);
    const text = await textOf(response);
    return {
      status: response.status,
      hint: response.headers.get("X-Latchkey-Hint") ?? undefined,
      body: parsed(text) ?? text,
      milliseconds: performance.now() - start,
    };
  }

  /** Calls a control route. @throws Refused */
  control<Answer>(call: string, body?: unknown, signal?: AbortSignal): Promise<Answer> {
    const [method = "", path = ""] = call.split(" ");
    return this.#json(`_latchkey${path}`, { method, body, signal, token: this.#tokenToControl });
  }

  /** A snapshot of the emulator, as a file. @throws Refused */
  async snapshot(): Promise<Blob> {
    return (await this.#send("_latchkey/snapshot", { token: this.#tokenToControl })).blob();
  }

  /** The stream of events, until the signal aborts it. @throws Refused */
  async events(signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const { body } = await this.#send("_latchkey/events", { signal, token: this.#tokenToControl });
    if (body === null) throw new Refused(0, ["the emulator sent nothing"]);
    return body;
  }

  get #tokenToControl(): string {
    return this.controlToken ?? this.token;
  }

  async #json<Answer>(path: string, sent: Sent): Promise<Answer> {
    const response = await this.#send(path, sent);
    const text = await textOf(response);
    if (text === "") return undefined as Answer;
    const value = parsed(text);
    if (value === undefined) throw new Refused(response.status, ["the reply is no JSON"]);
    return value as Answer;
  }

  async #send(path: string, sent: Sent): Promise<Response> {
    const response = await this.#fetch(path, sent);
    if (!response.ok) throw await toRefused(response);
    return response;
  }

  #fetch(
    path: string,
    { body, headers, method = "GET", signal, token = this.token }: Sent,
  ): Promise<Response> {
    const isJson = body !== undefined;
    const sent = this.connection.send(path, {
      method,
      cache: "no-store",
      headers: {
        Authorization: `Bearer ${token}`,
        ...(isJson && { "Content-Type": "application/json" }),
        ...headers,
      },
      // A file, or text that a person wrote, is sent unchanged.
      ...(isJson && {
        body: body instanceof Blob || typeof body === "string" ? body : JSON.stringify(body),
      }),
      ...(signal && { signal }),
    });
    return sent.catch((error: unknown) => {
      throw isAborted(error) ? error : new Refused(0, [NO_REPLY]);
    });
  }
}

async function textOf(response: Response): Promise<string> {
  return response.text().catch((error: unknown) => {
    throw isAborted(error) ? error : new Refused(0, ["The reply broke off."]);
  });
}

/** The value of a JSON text; undefined for other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const NO_REPLY = "No reply: the emulator was stopped, or a fault closed the connection.";
