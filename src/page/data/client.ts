import { isAborted, Refused, toRefused } from "./refused.ts";
import { root } from "./root.ts";

interface Reply<Data> {
  readonly data: Data;
}

interface RecordReply<Item> extends Reply<readonly Item[]> {
  readonly pagination: { readonly cursor?: string };
}

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Default: the token of operations. */
  readonly token?: string;
}

/** A page of records of any kind, as v2 lists them. */
export interface RecordPage<Item> {
  readonly items: readonly Item[];
  /** Undefined on the last page. */
  readonly cursor: string | undefined;
}

/** The header of calls that leave no trace. */
const unseen = { "X-Latchkey-Unseen": "true" };

/** The token to send where the emulator accepts any. */
export const ANY_TOKEN = "local";

/** Calls the emulator with a token, and with the control token, if there is one, for control routes. */
export class Client {
  readonly token: string;
  readonly controlToken: string | undefined;

  constructor({ controlToken, token }: Pick<Client, "token" | "controlToken">) {
    this.token = token;
    this.controlToken = controlToken;
  }

  /** The value of a recoverable key, without a trace. @throws Refused */
  async valueOf(keyId: string): Promise<string | undefined> {
    const sent = { method: "POST", body: { keyId, decrypt: true }, headers: unseen };
    const { data } = await this.#json<Reply<{ readonly plaintext?: string }>>(
      "v2/keys.getKey",
      sent,
    );
    return data.plaintext;
  }

  /** Calls an operation of v2 that lists records, without a trace. @throws Refused */
  async records<Item>(
    operation: string,
    body: object,
    signal: AbortSignal,
  ): Promise<RecordPage<Item>> {
    const sent = { method: "POST", body, headers: unseen, signal };
    const { data, pagination } = await this.#json<RecordReply<Item>>(`v2/${operation}`, sent);
    return { items: data, cursor: pagination.cursor };
  }

  /**
   * Calls an operation of v2 like any client does: faults are applied, and the journal records it.
   * @param operation like `keys.createKey`
   * @throws Refused
   */
  async call<Data>(operation: string, body: object, signal: AbortSignal): Promise<Data> {
    const sent = { method: "POST", body, signal };
    return (await this.#json<Reply<Data>>(`v2/${operation}`, sent)).data;
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
    const text = await response.text().catch((error: unknown) => {
      throw isAborted(error) ? error : new Refused(0, ["the reply broke off"]);
    });
    try {
      return (text === "" ? undefined : JSON.parse(text)) as Answer;
    } catch {
      throw new Refused(response.status, ["the reply is no JSON"]);
    }
  }

  async #send(
    path: string,
    { body, headers, method = "GET", signal, token = this.token }: Sent,
  ): Promise<Response> {
    const isJson = body !== undefined;
    const response = await fetch(root + path, {
      method,
      cache: "no-store",
      headers: {
        Authorization: `Bearer ${token}`,
        ...(isJson && { "Content-Type": "application/json" }),
        ...headers,
      },
      // A file is sent unchanged.
      ...(isJson && { body: body instanceof Blob ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      throw isAborted(error) ? error : new Refused(0, [NO_REPLY]);
    });
    if (!response.ok) throw await toRefused(response);
    return response;
  }
}

const NO_REPLY = "no reply: the emulator was stopped, or a fault closed the connection";
