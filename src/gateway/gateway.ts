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
import * as given from "./options.ts";
import type { PolicyInit } from "./policies.ts";
import { type Principal, principalHeader } from "./principal.ts";
import { type CheckedLimit, identifierOf, limitHeaders, takeUse } from "./rate-limit.ts";
import { Refusal, toResponse } from "./refusals.ts";
import { fromWeb, type GatewayRequest, textsAt } from "./request.ts";
import { callOf } from "./upstream.ts";

/**
 * Puts the service's gateway in front of a program. It verifies keys with `keys.verifyKey` of the
 * emulator, and passes requests on with the header `X-Unkey-Principal`.
 * @throws UsageError for invalid options
 */
export function createGateway(emulator: Emulator, options: given.GatewayOptions): Gateway {
  requireEmulator(emulator, "createGateway");
  const schema = given.gatewayOptions();
  const pathOf = (index: number) => (options.routes ? ["routes", index] : []);
  const { value, lineOf } = given.readSpelt(schema, options, "createGateway", (read) =>
    (read.upstream === undefined) === (read.routes === undefined)
      ? [{ path: [], expected: "expected exactly one of upstream, routes" }]
      : given.problemsOf(read.routes ?? [read], pathOf),
  );
  const programs = (value.routes ?? [value]) as readonly Route[];
  for (const note of given.notesOn(programs, pathOf))
    emulator.log({ kind: "warning", message: lineOf(note) });
  return new Gateway(emulator, programs, value.token);
}

/** Without a name, it answers for every host. */
type Route = given.Program & { readonly hostname?: string };

/** How long a program may take, in milliseconds. */
const CALL_WITHIN = 15 * 60_000;
const RESERVED = /^x-unkey-|^x-forwarded-(?:for|host|proto)$/i;
const LOCAL = ["localhost", "127.0.0.1", "::1"];
const UNAVAILABLE = ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"];

/** What is known of a request while it passes the policies. */
interface Passage {
  readonly limits: CheckedLimit[];
  /** The id of the policy that runs; empty before and after. */
  policy: string;
  /** How the key was judged, and by which policy. */
  verdict: string;
  principal: Principal | undefined;
}

/** A gateway, made by `createGateway`. */
export class Gateway {
  readonly #emulator: Emulator;
  readonly #routes;
  readonly #token: string | undefined;
  /** The counters of `ratelimit`, by a map that the world makes anew at each reset. */
  readonly #counters = new WeakMap<object, Counters>();
  #requests = 0;

  /** Use `createGateway` instead, which checks the options. */
  constructor(emulator: Emulator, routes: readonly Route[], token?: string | undefined) {
    this.#emulator = emulator;
    this.#routes = routes.map(({ hostname, policies = [], upstream }) => ({
      hostname: hostname && hostnameOf(hostname),
      call: callOf(upstream),
      policies: policies.map((each, at) => ({ ...each, id: each.id ?? `policy_${at + 1}` })),
    }));
    this.#token = token;
  }

  /**
   * Answers a request as the gateway with the program behind it. Refusals are responses.
   * @throws the reason of an aborted signal
   */
  readonly fetch = (request: Request): Promise<Response> => this.handle(fromWeb(request));

  /** Answers a request, for doors. */
  async handle(request: GatewayRequest): Promise<Response> {
    const begin = performance.now();
    const passage: Passage = { limits: [], policy: "", verdict: "", principal: undefined };
    const { clock, log, randomSeed } = this.#emulator;
    // Not of the emulator's ids, so that those stay the same with a gateway.
    const number = randomBigInt(`${randomSeed}/gateway/${(this.#requests += 1)}`, 11);
    const requestId = encodeBase58(number, 16, "req_");
    let hint = "";
    const response = await this.#pass(request, passage, requestId).catch((thrown: unknown) => {
      request.signal.throwIfAborted();
      // What is no refusal is a verification that failed.
      const { code, message, verdict } =
        thrown instanceof Refusal
          ? thrown
          : new Refusal("platform:internal_server_error", `keys.verifyKey: ${thrownText(thrown)}`);
      hint = join(": ", [passage.policy, message]);
      passage.verdict = join(" ", [verdict, passage.policy]);
      const accept = textsAt({ header: { name: "Accept" } }, request).join();
      return toResponse(code, { accept, hint, requestId });
    });
    for (const [name, value] of Object.entries(limitHeaders(passage.limits, clock.now())))
      response.headers.set(name, value);
    const asked = ["gateway", request.method, request.target.replace(/\?.*/s, "")];
    const time = `${(performance.now() - begin).toFixed(0)} ms`;
    const answered = [String(response.status), passage.verdict, time, hint && `hint: ${hint}`];
    log({ kind: "notice", message: join(" ", [...asked, ...answered]) });
    return response;
  }

  async #pass(sent: GatewayRequest, passage: Passage, requestId: string): Promise<Response> {
    const request = { ...sent, headers: sent.headers.filter(([name]) => !RESERVED.test(name)) };
    const [upgrade] = textsAt({ header: { name: "Upgrade" } }, request);
    // Some clients offer HTTP/2 with their first request, and take HTTP/1.1.
    if (upgrade !== undefined && upgrade !== "h2c") {
      const hint = `latchkey passes no ${upgrade} on; call the program itself`;
      throw new Refusal("latchkey:upgrade", hint);
    }
    const { call, policies } = this.#routeOf(request.host);
    for (const policy of policies)
      if (applies(policy, request)) await this.#apply(policy, request, passage);
    const { principal } = passage;
    const ids = [
      ["X-Unkey-Request-Id", requestId],
      ["X-Unkey-Frontline-Id", "local-dev"],
      ["X-Unkey-Region", "local::local-dev"],
    ] as const;
    const lines = [
      ...request.headers,
      ...ids,
      ["X-Forwarded-For", request.address],
      ["X-Forwarded-Host", request.host],
      ["X-Forwarded-Proto", "http"],
      ...(principal ? [["X-Unkey-Principal", principalHeader(principal)] as const] : []),
    ] as const;
    const timeout = AbortSignal.timeout(CALL_WITHIN);
    const signal = AbortSignal.any([request.signal, timeout]);
    try {
      const reply = await unlessAborted(signal, () => call(request, lines, signal));
      const response = new Response(reply.body, reply);
      for (const [name, value] of ids) response.headers.set(name, value);
      return response;
    } catch (error) {
      request.signal.throwIfAborted();
      throw this.#failed(error, timeout.aborted);
    }
  }

  /** @throws Refusal */
  async #apply(
    { firewall, id, keyauth, ratelimit }: PolicyInit & { readonly id: string },
    request: GatewayRequest,
    passage: Passage,
  ): Promise<void> {
    const token = this.#token ?? tokenOf(this.#emulator);
    passage.policy = id;
    if (firewall?.action === "ACTION_DENY")
      throw new Refusal("client:firewall_denied", "it denies this request");
    if (ratelimit) {
      const { clock, operationStates } = this.#emulator.worldOf(token);
      const counters = this.#counters.get(operationStates) ?? new Counters();
      this.#counters.set(operationStates, counters);
      const name = identifierOf(request, ratelimit, passage.principal);
      takeUse(counters, clock.now(), { id, name, ...ratelimit }, passage.limits);
    }
    if (keyauth && passage.principal === undefined) {
      const { fetch } = this.#emulator;
      passage.principal = await authenticate(request, keyauth, { fetch, token }, passage.limits);
      passage.verdict = `VALID ${id}`;
    }
    passage.policy = "";
  }

  #routeOf(host: string) {
    const name = hostnameOf(host);
    const [only, ...others] = this.#routes;
    if (only && others.length === 0 && LOCAL.includes(name)) return only;
    const route = this.#routes.find(({ hostname = name }) => hostname === name);
    if (route !== undefined) return route;
    const known = this.#routes.map(({ hostname }) => hostname).join(", ");
    throw new Refusal("routing:config_not_found", `no route is for this host; there is ${known}`);
  }

  /** The refusal of a request that the program did not answer. Its hint says why. */
  #failed(error: unknown, isLate: boolean): Refusal {
    const code = String((error as { readonly code?: unknown } | undefined)?.code);
    const message = `the program did not answer: ${thrownText(error)}`;
    this.#emulator.log({ kind: "warning", message: `gateway: ${message}` });
    if (isLate || code === "ETIMEDOUT") return new Refusal("upstream:gateway_timeout", message);
    const end = UNAVAILABLE.includes(code) ? "service_unavailable" : "bad_gateway";
    return new Refusal(`upstream:${end}`, message);
  }
}

function join(separator: string, parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(separator);
}

/** The first token that may verify keys; if none is listed, any is accepted. */
function tokenOf({ isolatedTokens, workspaces }: Emulator): string {
  const listed = workspaces.all().flatMap(({ apis, id, tokens }) => {
    const scope = { id, apis: new Map(apis.all().map((api) => [api.id, api])) };
    const rights = [...scope.apis.keys()].map((apiId) => onApi(apiId, "verify_key"));
    const may = (permissions: readonly string[]) =>
      permissions.includes("*") || rights.some((right) => grants(permissions, right, scope));
    return tokens.all().filter(({ permissions }) => may(permissions));
  });
  return [...listed, ...isolatedTokens][0]?.token ?? "local";
}
