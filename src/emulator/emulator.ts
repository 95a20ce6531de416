import type { OpenApiDocument } from "../api/openapi/openapi.ts";
import type { VersionName } from "../api/version.ts";
import type { Quirk } from "../api/quirks.ts";
import type { Operation } from "../service/operations/operation.ts";
import type { Fixture } from "../seed/format.ts";
import type { TokenGrant } from "../seed/check.ts";
import { version } from "../base/version.ts";
import type { Control } from "../control/control.ts";
import { readCredentials } from "../service/access.ts";
import { isControlPath, type PlainRequest } from "../service/request.ts";
import { checkedFor, type EmulatorOptions } from "./options.ts";
import type { World } from "../world/world.ts";
import type { EmulatorResetOptions } from "../world/settings.ts";
import type { EmulatorNeedsOptions } from "../world/journal/needed-permissions.ts";
import { checkFlags } from "../schema/problems.ts";
import { Sandbox } from "./sandbox.ts";
import { ApiError } from "../api/errors.ts";
import { Service, type ServiceSettings } from "../service/service.ts";
import { controlScope } from "../control/control-access.ts";
import { type Abortable, fromRequest, toResponse, unlessAborted } from "./web.ts";

/** The type of `Emulator.fetch`: a handler of requests, and a replacement of the global `fetch`. */
export interface EmulatorFetch {
  (request: Request, ...context: readonly unknown[]): Promise<Response>;
  (input: Request | string | URL, init?: RequestInit): Promise<Response>;
}

/**
 * An emulated service in memory, made by `createEmulator`. Its collections, clock, faults and journal
 * serve all requests whose token has no isolated workspace.
 */
export class Emulator extends Sandbox {
  readonly #options: EmulatorOptions;
  readonly #settings: ServiceSettings;
  readonly #service: Service;
  readonly #main: World;
  #control: Promise<Control> | undefined;
  /**
   * Keeps pending requests in memory, because in Node aborts do not reach the signal of a request that
   * was garbage-collected (nodejs/undici#3644).
   */
  readonly #inFlight = new Set<Abortable>();
  /** The URL of the gateway that the command line serves, for the page. It is set before any request. */
  gatewayUrl: string | undefined;

  /** Use `createEmulator` instead, which also seeds the emulator. */
  constructor(options: EmulatorOptions, settings: ServiceSettings) {
    super(settings.worlds.main);
    this.#options = options;
    this.#settings = settings;
    this.#service = new Service(settings);
    this.#main = settings.worlds.main;
  }

  /** A number that grows whenever a record changes; requests that only read do not change it. */
  get revision(): number {
    return this.#main.store.revision;
  }

  /** All operations that are served, including the option `operations`. */
  get operations(): readonly Pick<Operation, "contract">[] {
    return this.#settings.operations;
  }

  /** The quirks that are switched on: deviations of the live service from its documentation. */
  get quirks(): readonly Quirk[] {
    return [...this.#settings.quirks];
  }

  /** Whether each token that no fixture lists has a separate workspace (option `isolate`). */
  get isIsolated(): boolean {
    return this.#settings.worlds.isIsolated;
  }

  /** The tokens of the option `tokens` that have isolated workspaces. Empty without `isolate`. */
  get isolatedTokens(): readonly TokenGrant[] {
    return this.#settings.worlds.isolatedTokens;
  }

  /**
   * The token for control routes: the option `controlToken`, or a random token if tokens are listed
   * and none of them may use control routes. Undefined if neither applies.
   */
  get controlToken(): string | undefined {
    return this.#main.controlToken;
  }

  /** All workspaces. The emulator's own collections belong to the default one. */
  get workspaces() {
    return this.#main.store.workspaces.public;
  }

  /**
   * The isolated workspace of a token (option `isolate`), with its own records, clock, faults and
   * journal. For a token that a fixture lists, it is the emulator itself. A workspace from this method
   * is kept as long as the emulator. At most 1,000 others are kept, or fewer if the initial state is
   * large; the least recently used ones are dropped first.
   * @throws UsageError without the option `isolate`, and for a token that is not accepted
   */
  workspace(token: string): Sandbox {
    const world = this.#settings.worlds.pin(token);
    return world === this.#main ? this : new Sandbox(world);
  }

  /**
   * Brings back exactly the initial state, as `Sandbox.reset` does. With `all`, it resets the isolated
   * workspaces too.
   * @throws UsageError for an unknown option, or one of the wrong type
   */
  override async reset(options: EmulatorResetOptions = {}): Promise<void> {
    checkFlags("reset", options, ["all", "freshIds"]);
    const { all, ...rest } = options;
    return all ? this.#settings.worlds.reset(rest) : this.#main.reset(rest);
  }

  /**
   * The least permissions that each token needs for the calls that it made, as in
   * `Sandbox.neededPermissions`. With `all`, it counts all calls since the start: also before a reset,
   * and with `isolate` in the workspaces of all tokens.
   * @throws UsageError for an unknown option, or one of the wrong type
   */
  override neededPermissions(options: EmulatorNeedsOptions = {}) {
    checkFlags("neededPermissions", options, ["all", "anyApi"]);
    return this.#main.neededPermissions(options);
  }

  /**
   * Answers a request as the service would. It takes the same arguments as the global `fetch`, and can
   * replace it or be passed to a server. Arguments after a `Request` are ignored, because servers pass
   * other values there, like the environment of a worker. The host of the URL does not matter; the option
   * `basePath` is the path before all paths. The control routes are under `/_latchkey`. Errors of the
   * service are responses, and so are unexpected exceptions in the emulator (500).
   * @throws TypeError if the body was read already, or if a fault drops the connection; the reason of
   *   an aborted signal; and any error of the body's stream
   */
  readonly fetch: EmulatorFetch = async (
    input: Request | string | URL,
    second?: unknown,
  ): Promise<Response> => {
    const isRequest = typeof input === "object" && "headers" in input;
    const init = isRequest ? undefined : (second as RequestInit | undefined);
    const request = isRequest ? input : new Request(input, init);
    const answer = async (clientLifetime?: Parameters<typeof fromRequest>[1]) => {
      const plain = await fromRequest(request, clientLifetime, this.#options.basePath);
      return toResponse(await this.#answer(plain), abortable);
    };
    // The caller's signal, because the request's signal can miss aborts (see `#inFlight`).
    const signal = isRequest ? input.signal : init?.signal;
    const abortable = isRequest || !signal ? request : { signal };
    // Without a signal from the caller, nothing can abort the request.
    if (!signal) return answer();
    this.#inFlight.add(abortable);
    return unlessAborted(abortable.signal, answer).finally(() => this.#inFlight.delete(abortable));
  };

  async #answer(request: PlainRequest) {
    if (request.path === "") {
      const { basePath } = this.#options;
      return this.refuseUnread(
        404,
        `expected a path below ${basePath}, the basePath of this emulator`,
      );
    }
    return isControlPath(request.path) ? this.control(request) : this.handle(request);
  }

  /**
   * The JSON of `snapshot()`, in pieces that are made while you read them, for large snapshots.
   * @param first members to put before the snapshot's
   * @throws UsageError if the default workspace was deleted
   */
  snapshotText(first: { readonly $schema?: string } = {}): Iterable<string> {
    return this.#main.snapshotText(first);
  }

  /**
   * Replaces the state with other fixtures, as if the emulator had been created with them and its other
   * options, including `generate`. From then on, `reset` brings this state back. While faker is loaded
   * for `generate`, requests are answered from the old state.
   * @throws UsageError for invalid fixtures; then nothing has changed
   */
  async reseed(fixtures: readonly Fixture[]): Promise<void> {
    // The clock starts over with the state, so relative times count from its start.
    const now = this.#main.clock.fork().now();
    const checked = checkedFor({ ...this.#options, fixtures }, this.operations, now);
    await this.#main.startOver(checked);
    this.#settings.worlds.restartAll();
  }

  /**
   * The OpenAPI 3.1 document of all operations of a version of the interface.
   * @param interfaceName Default: `v2`
   */
  async openapi(interfaceName: VersionName = "v2"): Promise<OpenApiDocument> {
    // Loaded on demand, because most runs need no document.
    const { toOpenApi } = await import("../api/openapi/openapi.ts");
    return toOpenApi(
      this.operations.map(({ contract }) => contract),
      version,
      interfaceName,
    );
  }

  /** Answers one plain request, for doors. It never rejects: errors are replies. */
  handle(request: PlainRequest) {
    return this.#service.handle(request);
  }

  /**
   * Answers one plain request to a control route, for doors.
   * @param originProblem why to refuse the request because of its host or origin; undefined if allowed
   */
  async control(request: PlainRequest, originProblem?: string) {
    this.#control ??= this.#openControl();
    return (await this.#control).handle(request, originProblem);
  }

  /**
   * What a request may control, by its token and its machine: its isolated world, more than that, or
   * nothing.
   */
  controls(request: Pick<PlainRequest, "header" | "remoteReason">): "own" | "all" | undefined {
    const { worlds } = this.#settings;
    const scope = controlScope(worlds, readCredentials(request), request.remoteReason);
    if (scope instanceof ApiError) return undefined;
    return scope === "own" ? "own" : "all";
  }

  /** Loads the control routes on demand, because most tests run in process and need none. */
  async #openControl(): Promise<Control> {
    const { Control } = await import("../control/control.ts");
    const { log, worlds } = this.#settings;
    const description = {
      isIsolated: this.isIsolated,
      gateway: this.gatewayUrl,
      operations: (name?: VersionName) => this.openapi(name),
      control: async () => (await import("../control/openapi.ts")).toControlDocument(),
    };
    return new Control({ worlds, description, log });
  }

  /** The log, which gets no secrets, for doors. */
  get log(): ServiceSettings["log"] {
    return this.#settings.log;
  }

  /** The world that requests with this token reach, for doors. With `isolate` it is kept from now on. */
  worldOf(token: string): World {
    const { worlds } = this.#settings;
    return worlds.reach(token) === "own" ? worlds.pin(token) : worlds.main;
  }

  /** Masks the tokens and key values of all workspaces except isolated ones in a text, as in the log. */
  mask(text: string): string {
    return this.#main.mask(text);
  }

  /**
   * The error reply for bytes that are not HTTP, a request that takes too long, or one that is not meant
   * for the emulator. Logs it too.
   */
  refuseUnread(status: number, message: string) {
    return this.#service.refuseUnread(status, message);
  }
}
