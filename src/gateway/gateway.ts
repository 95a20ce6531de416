import { grants } from "../api/urn.ts";
import { encodeBase58, randomBigInt } from "../base/random.ts";
import { thrownText } from "../base/realm.ts";
import type { Emulator } from "../emulator/emulator.ts";
import { requireEmulator, unlessAborted } from "../emulator/web.ts";
import { onApi } from "../service/operations/operation.ts";
import { hostnameOf } from "../service/request.ts";
import { Counters } from "../state/limits/counters.ts";
import { authenticate } from "./key-auth.ts";
import { applies } from "./match.ts";
import * as config from "./options.ts";
import type { PolicyInit } from "./policies.ts";
import { type Principal, principalHeader } from "./principal.ts";
import { type CheckedLimit, countRequest, identifierOf, limitHeaders } from "./rate-limit.ts";
import { Refusal, toResponse } from "./refusals.ts";
import { fromWeb, type GatewayRequest, textsAt } from "./request.ts";
import { upstreamCall } from "./upstream.ts";

/**
 * Puts the service's gateway in front of a program. It verifies keys with the emulator's
 * `keys.verifyKey`, and passes requests on with the header `X-Unkey-Principal`.
 * @throws UsageError for invalid options
 */
export function createGateway(emulator: Emulator, options: config.GatewayOptions): Gateway {
  requireEmulator(emulator, "createGateway");
  const schema = config.gatewayOptions();
  const placeOf = (index: number) => (options.routes ? ["routes", index] : []);
  const { value, lineOf } = config.readEitherSpelling(schema, options, "createGateway", (read) =>
    (read.upstream === undefined) === (read.routes === undefined)
      ? [{ path: [], expected: "expected exactly one of upstream, routes" }]
      : config.problemsOf(read.routes ?? [read], placeOf),
  );
  const routes = (value.routes ?? [value]) as readonly Route[];
  for (const warning of config.warningsFor(routes, placeOf))
    emulator.log({ kind: "warning", message: lineOf(warning) });
  return new Gateway(emulator, routes, value.token);
}

/** A route without a host name is for every host. */
type Route = config.Program & { readonly hostname?: string };

/** How long a program may take to answer (ms). */
const UPSTREAM_TIMEOUT = 15 * 60_000;
/** Headers that only the gateway may set. */
const RESERVED = /^x-unkey-|^x-forwarded-(?:for|host|proto)$/i;
const LOCAL = ["localhost", "127.0.0.1", "::1"];
const UNAVAILABLE = ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"];

/** What is known about a request while the policies run. */
interface RequestState {
  readonly limits: CheckedLimit[];
  /** The id of the policy that is running; empty if none is. */
  policy: string;
  /** The result of the policies for the log, with the policy, like `VALID policy_1`. */
  verdict: string;
  principal: Principal | undefined;
}

/** A gateway. Use `createGateway`, which checks the options, to create one. */
export class Gateway {
  readonly #emulator: Emulator;
  readonly #routes;
  readonly #token: string | undefined;
  /** The counters of `ratelimit`, by a map that the world replaces at each reset. */
  readonly #counters = new WeakMap<object, Counters>();
  #requests = 0;
  #isOpenReported = false;

  constructor(emulator: Emulator, routes: readonly Route[], token?: string | undefined) {
    this.#emulator = emulator;
    this.#routes = routes.map(({ hostname, policies = [], upstream }) => ({
      hostname: hostname && hostnameOf(hostname),
      call: upstreamCall(upstream),
      policies: policies.map((each, at) => ({ ...each, id: each.id ?? `policy_${at + 1}` })),
    }));
    this.#token = token;
  }

  /**
   * Answers a request: with the program's response, or with a refusal.
   * @throws the reason of the request's signal, if it is aborted
   */
  readonly fetch = (request: Request): Promise<Response> => this.handle(fromWeb(request));

  /** The same as `fetch`, for the HTTP door. */
  async handle(request: GatewayRequest): Promise<Response> {
    const begin = performance.now();
    const state: RequestState = { limits: [], policy: "", verdict: "", principal: undefined };
    const { clock, log, randomSeed } = this.#emulator;
    // Does not use the emulator's ids, so that a gateway does not change them.
    const number = randomBigInt(`${randomSeed}/gateway/${(this.#requests += 1)}`, 11);
    const requestId = encodeBase58(number, 16, "req_");
    let hint = "";
    const response = await this.#pass(request, state, requestId).catch((thrown: unknown) => {
      request.signal.throwIfAborted();
      // Anything else is a verification that failed.
      const { code, message, verdict } =
        thrown instanceof Refusal
          ? thrown
          : new Refusal("platform:internal_server_error", `keys.verifyKey: ${thrownText(thrown)}`);
      hint = join(": ", [state.policy, message]);
      state.verdict = join(" ", [verdict, state.policy]);
      const accept = textsAt({ header: { name: "Accept" } }, request).join();
      return toResponse(code, { accept, hint, requestId });
    });
    for (const [name, value] of Object.entries(limitHeaders(state.limits, clock.now())))
      response.headers.set(name, value);
    const asked = ["gateway", request.method, pathOf(request.target)];
    const time = `${(performance.now() - begin).toFixed(0)} ms`;
    const answered = [String(response.status), state.verdict, time, hint && `hint: ${hint}`];
    log({ kind: "notice", message: join(" ", [...asked, ...answered]) });
    return response;
  }

  async #pass(sent: GatewayRequest, state: RequestState, requestId: string): Promise<Response> {
    const request = { ...sent, headers: sent.headers.filter(([name]) => !RESERVED.test(name)) };
    const upgrades = textsAt({ header: { name: "Upgrade" } }, request);
    // Others are only offers, like HTTP/2 by Java, and TLS by Apache's HttpClient 5.4.
    if (/\bwebsocket\b/i.test(upgrades.join())) {
      const hint = "latchkey does not pass on a WebSocket; call the program directly";
      throw new Refusal("latchkey:upgrade", hint);
    }
    const [host = ""] = textsAt({ header: { name: "Host" } }, request);
    const { call, policies } = this.#routeOf(host);
    for (const policy of policies)
      if (applies(policy, request)) await this.#apply(policy, request, state);
    const { principal } = state;
    if (principal === undefined) this.#reportOpen(request);
    const ids = [
      ["X-Unkey-Request-Id", requestId],
      ["X-Unkey-Frontline-Id", "local-dev"],
      ["X-Unkey-Region", "local::local-dev"],
    ] as const;
    const headers = [
      ...request.headers,
      ...ids,
      ["X-Forwarded-For", request.address],
      ["X-Forwarded-Host", host],
      ["X-Forwarded-Proto", "http"],
      ...(principal ? [["X-Unkey-Principal", principalHeader(principal)] as const] : []),
    ] as const;
    const timeout = AbortSignal.timeout(UPSTREAM_TIMEOUT);
    const signal = AbortSignal.any([request.signal, timeout]);
    try {
      const reply = await unlessAborted(signal, () => call(request, headers, signal));
      const response = new Response(reply.body, reply);
      for (const [name, value] of ids) response.headers.set(name, value);
      return response;
    } catch (error) {
      request.signal.throwIfAborted();
      throw this.#upstreamRefusal(error, timeout.aborted);
    }
  }

  /** @throws Refusal */
  async #apply(
    { firewall, id, keyauth, ratelimit }: PolicyInit & { readonly id: string },
    request: GatewayRequest,
    state: RequestState,
  ): Promise<void> {
    const token = this.#token ?? defaultToken(this.#emulator);
    state.policy = id;
    if (firewall?.action === "ACTION_DENY")
      throw new Refusal("client:firewall_denied", "the firewall denies this request");
    if (ratelimit) {
      const { clock, operationStates } = this.#emulator.worldOf(token);
      const counters = this.#counters.get(operationStates) ?? new Counters();
      this.#counters.set(operationStates, counters);
      const name = identifierOf(request, ratelimit, state.principal);
      countRequest(counters, clock.now(), { id, name, ...ratelimit }, state.limits);
    }
    if (keyauth && state.principal === undefined) {
      const { fetch } = this.#emulator;
      state.principal = await authenticate(request, keyauth, { fetch, token }, state.limits);
      state.verdict = `VALID ${id}`;
    }
    state.policy = "";
  }

  /** Warns of the first request without a principal: a mistake in `match` makes a path public. */
  #reportOpen({ method, target }: GatewayRequest): void {
    if (this.#isOpenReported) return;
    this.#isOpenReported = true;
    const message = `gateway ${method} ${pathOf(target)}: no keyauth policy matches, so the request passes without a key; later ones are not reported`;
    this.#emulator.log({ kind: "warning", message });
  }

  #routeOf(host: string) {
    const name = hostnameOf(host);
    const [only, ...others] = this.#routes;
    if (only && others.length === 0 && LOCAL.includes(name)) return only;
    const route = this.#routes.find(({ hostname = name }) => hostname === name);
    if (route !== undefined) return route;
    const known = this.#routes.map(({ hostname }) => hostname).join(", ");
    throw new Refusal(
      "routing:config_not_found",
      `there is no route for this host; there are routes for ${known}`,
    );
  }

  /** The refusal if the program did not answer. Its hint says why. */
  #upstreamRefusal(error: unknown, isTimeout: boolean): Refusal {
    const code = String((error as { readonly code?: unknown } | undefined)?.code);
    const message = `the program did not answer: ${thrownText(error)}`;
    this.#emulator.log({ kind: "warning", message: `gateway: ${message}` });
    if (isTimeout || code === "ETIMEDOUT") return new Refusal("upstream:gateway_timeout", message);
    const kind = UNAVAILABLE.includes(code) ? "service_unavailable" : "bad_gateway";
    return new Refusal(`upstream:${kind}`, message);
  }
}

/** The target without its query, which may contain a key. */
function pathOf(target: string): string {
  return target.replace(/\?.*/s, "");
}

function join(separator: string, parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(separator);
}

/** The first token that may verify keys. If no tokens are listed, the emulator accepts any. */
function defaultToken({ isolatedTokens, workspaces }: Emulator): string {
  const listed = workspaces.all().flatMap((workspace) => {
    // There may be no API yet.
    const apiIds = ["*", ...workspace.apis.all().map(({ id }) => id)];
    const rights = apiIds.map((id) => onApi(id, "verify_key"));
    const may = (permissions: readonly string[]) =>
      rights.some((right) => grants(permissions, right, workspace));
    return workspace.tokens.all().filter(({ permissions }) => may(permissions));
  });
  return [...listed, ...isolatedTokens][0]?.token ?? "local";
}
