import type { CreateKeyResult } from "../../contract/create-key.ts";
import type { ListKeysResult } from "../../contract/list-keys.ts";
import { isAborted, Refused, toRefused } from "./refused.ts";
import { root } from "./root.ts";

export interface Listing {
  readonly apiId: string;
  readonly externalId?: string;
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly decrypt: boolean;
  /** Whether to call like any client: faults are applied, and the journal records the call. */
  readonly isSeen: boolean;
  /** Whether to bypass the cached lists of the quirk `stale-list`. */
  readonly isFresh: boolean;
}

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Default: the token of operations. */
  readonly token?: string;
}

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

  /** @throws Refused */
  list(listing: Listing, signal?: AbortSignal): Promise<ListKeysResult> {
    const { apiId, cursor, decrypt, externalId, isFresh, isSeen, limit } = listing;
    const query = new URLSearchParams({
      apiId,
      limit: String(limit),
      ...(externalId && { externalId }),
      ...(cursor !== undefined && { cursor }),
      ...(decrypt && { decrypt: "true" }),
      // Unseen calls always bypass the cache.
      ...(isFresh && isSeen && { revalidateKeysCache: "true" }),
    });
    const headers = isSeen ? {} : { "X-Latchkey-Unseen": "true" };
    return this.#json(`v1/apis.listKeys?${query}`, { headers, signal });
  }

  /** @throws Refused */
  create(body: object, signal?: AbortSignal): Promise<CreateKeyResult> {
    return this.#json("v1/keys.createKey", { method: "POST", body, signal });
  }

  /** Calls a control route. @throws Refused */
  control<Answer>(call: string, body?: unknown, signal?: AbortSignal): Promise<Answer> {
    const [method = "", path = ""] = call.split(" ");
    return this.#json(`_latchkey${path}`, { method, body, signal, token: this.#steering });
  }

  /** A snapshot of the emulator, as a file. @throws Refused */
  async snapshot(): Promise<Blob> {
    return (await this.#send("_latchkey/snapshot", { token: this.#steering })).blob();
  }

  /** The stream of events, until the signal aborts it. @throws Refused */
  async events(signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const { body } = await this.#send("_latchkey/events", { signal, token: this.#steering });
    if (body === null) throw new Refused(0, ["the emulator sent nothing"]);
    return body;
  }

  get #steering(): string {
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
