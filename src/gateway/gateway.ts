import * as z from "zod/mini";
import { grants } from "../api/urn.ts";
import { lazily } from "../base/lazily.ts";
import { thrownText } from "../base/realm.ts";
import type { Emulator } from "../emulator/emulator.ts";
import { requireEmulator, unlessAborted } from "../emulator/web.ts";
import { filledText, listOf, objectOf } from "../schema/fields.ts";
import { type Problem, problemLine } from "../schema/problems.ts";
import { onApi } from "../service/operations/operation.ts";
import { encodeBase58, randomBigInt } from "../base/random.ts";
import { Counters } from "../state/limits/counters.ts";
import { accessTokenInit } from "../state/records/tokens.ts";
import { authenticate } from "./key-auth.ts";
import { matches } from "./match.ts";
import { type Policy, type PolicyInit, policyList, readSpelt, settle } from "./policies.ts";
import { type Principal, principalHeader } from "./principal.ts";
import { type CheckedLimit, identifierOf, limitHeaders, limitHint, takeUse } from "./rate-limit.ts";
import { Refusal, toRefusal, toResponse } from "./refusals.ts";
import { fromWeb, type GatewayRequest, hostnameOf, valuesOf } from "./request.ts";
import { callOf, isUpstream, type Upstream } from "./upstream.ts";

/** The programs behind a gateway: one for every host, or one for each of `routes`. */
export interface GatewayOptions {
  /** The program: a function like `app.fetch`, or a URL like `http://localhost:3000`. */
  readonly upstream?: Upstream | undefined;
  /** What a request has to pass, in this order. Default: nothing. */
  readonly policies?: readonly PolicyInit[] | undefined;
  /** Programs by host name. A single one answers for `localhost` too. */
  readonly routes?: readonly RouteInit[] | undefined;
  /** The token that keys are verified with. Default: the first listed one that may verify. */
  readonly token?: string | undefined;
}
export interface RouteInit {
  readonly hostname: string;
  readonly upstream: Upstream;
  readonly policies?: readonly PolicyInit[] | undefined;
}

const EXPECTED_UPSTREAM = "expected a function like app.fetch, or a URL like http://localhost:3000";
const upstream = lazily(() => z.custom<Upstream>(isUpstream, { error: EXPECTED_UPSTREAM }));
const EXPECTED_HOST = "expected the name of a host, without a port";
export const routeMembers = lazily(() => ({
  hostname: filledText(EXPECTED_HOST).check(z.regex(/^[\w.:-]+$/, { error: EXPECTED_HOST })),
  upstream: upstream(),
  policies: z.optional(policyList()),
}));
const gatewayOptions = lazily(() =>
  objectOf({
    upstream: z.optional(upstream()),
    policies: z.optional(policyList()),
    routes: z.optional(listOf(objectOf(routeMembers()), "routes", { min: 1 })),
    token: z.optional(accessTokenInit().shape.token),
  }),
);

/** Problems of routes together: hosts that two of them have. */
export function hostProblems(
  routes: readonly RouteInit[],
  path: readonly PropertyKey[],
): Problem[] {
  const names = routes.map(({ hostname }) => hostnameOf(hostname));
  return names.flatMap((name, index) => {
    const expected = "expected a host that no other route has";
    return names.indexOf(name) === index
      ? []
      : [{ path: [...path, index, "hostname"], expected, value: name }];
  });
}

interface Route {
  /** Undefined for every host. */
  readonly hostname: string | undefined;
  readonly call: ReturnType<typeof callOf>;
  readonly policies: readonly Policy[];
}

/**
 * Puts the service's gateway in front of a program. It verifies keys with `keys.verifyKey` of the
 * emulator, and passes requests on with the header `X-Unkey-Principal`.
 * @throws UsageError for invalid options
 */
export function createGateway(emulator: Emulator, options: GatewayOptions): Gateway {
  requireEmulator(emulator, "createGateway");
  const notes: Problem[] = [];
  const routes: Route[] = [];
  const { token } = readSpelt(gatewayOptions(), options, "createGateway", (value) => {
    if ((value.upstream === undefined) === (value.routes === undefined))
      return [{ path: [], expected: "expected exactly one of upstream, routes" }];
    const named = value.routes ?? [];
    const { policies, upstream: only } = value;
    const each = only === undefined ? named : [{ hostname: undefined, upstream: only, policies }];
    const problems = each.flatMap((route, index) => {
      const path = [...(only === undefined ? ["routes", index] : []), "policies"];
      const settled = settle(route.policies ?? [], path, false);
      notes.push(...settled.notes);
      const hostname = route.hostname && hostnameOf(route.hostname);
      routes.push({ hostname, call: callOf(route.upstream), policies: settled.policies });
      return settled.problems;
    });
    return [...problems, ...hostProblems(named, ["routes"])];
  });
  for (const note of notes)
    emulator.log({ kind: "warning", message: problemLine("createGateway", note) });
  return new Gateway(emulator, routes, token);
}

/** How long a program may take, in milliseconds. */
const CALL_WITHIN = 15 * 60_000;
const RESERVED = /^x-unkey-|^x-forwarded-(?:for|host|proto)$/i;
const UNAVAILABLE = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** What is known of a request while it passes the policies. */
interface Passage {
  readonly limits: CheckedLimit[];
  /** How its key was judged; empty before. */
  outcome: string;
  /** The policy that judged it last. */
  policy: string;
  principal: Principal | undefined;
}

/** A gateway, made by `createGateway`. */
export class Gateway {
  readonly #emulator: Emulator;
  readonly #routes: readonly Route[];
  readonly #token: string | undefined;
  /** The world keeps the counters of each gateway under this function, so each gateway has another one. */
  readonly #countersOf = () => new Counters();
  #requests = 0;

  /** Use `createGateway` instead, which checks the options. */
  constructor(emulator: Emulator, routes: readonly Route[], token: string | undefined) {
    this.#emulator = emulator;
    this.#routes = routes;
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
    const passage: Passage = { limits: [], outcome: "", policy: "", principal: undefined };
    const { clock, randomSeed } = this.#emulator;
    // Not of the emulator's ids, so that those stay the same with a gateway.
    const number = randomBigInt(`${randomSeed}/gateway/${(this.#requests += 1)}`, 11);
    const requestId = encodeBase58(number, 16, "req_");
    let hint = "";
    const response = await this.#pass(request, passage, requestId).catch((thrown: unknown) => {
      request.signal.throwIfAborted();
      const error = toRefusal(thrown);
      hint = [passage.policy, error.hint].filter((part) => part !== "").join(": ");
      passage.outcome ||= error.code.replace(/^\w+:/, "");
      const accept = valuesOf(request, "Accept").join();
      const headers = limitHeaders(passage.limits, clock.now());
      return toResponse(new Refusal(error.code, hint), accept, requestId, headers);
    });
    const words = [request.method, request.target.replace(/\?.*/s, ""), response.status];
    const time = `${(performance.now() - begin).toFixed(0)} ms`;
    const more = [passage.outcome, passage.policy, time, hint && `hint: ${hint}`];
    const message = ["gateway", ...words, ...more].filter((part) => part !== "").join(" ");
    this.#emulator.log({ kind: "notice", message });
    return response;
  }

  async #pass(sent: GatewayRequest, passage: Passage, requestId: string): Promise<Response> {
    const request = { ...sent, headers: sent.headers.filter(([name]) => !RESERVED.test(name)) };
    const [upgrade] = valuesOf(request, "Upgrade");
    // Some clients offer HTTP/2 with their first request, and take HTTP/1.1.
    if (upgrade !== undefined && upgrade !== "h2c")
      throw new Refusal(
        "latchkey:upgrade",
        `latchkey passes no ${upgrade} on; call the program itself`,
      );
    const { call, policies } = this.#routeOf(request.host);
    for (const policy of policies)
      if (matches(request, policy)) await this.#apply(policy, request, passage);
    const ids = [
      ["X-Unkey-Request-Id", requestId],
      ["X-Unkey-Frontline-Id", "local-dev"],
      ["X-Unkey-Region", "local::local-dev"],
    ] as const;
    const { principal } = passage;
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
      const headers = new Headers(reply.headers);
      const own = Object.entries(limitHeaders(passage.limits, this.#emulator.clock.now()));
      for (const [name, value] of [...ids, ...own]) headers.set(name, value);
      const { body, status, statusText } = reply;
      return new Response(body, { status, statusText, headers });
    } catch (error) {
      request.signal.throwIfAborted();
      throw this.#failed(error, timeout.aborted);
    }
  }

  /** @throws Refusal */
  async #apply(policy: Policy, request: GatewayRequest, passage: Passage): Promise<void> {
    const { firewall, id, keyauth, ratelimit } = policy;
    const token = this.#token ?? tokenOf(this.#emulator);
    const world = this.#emulator.worldOf(token);
    if (ratelimit !== undefined) {
      const identifier = identifierOf(request, ratelimit, passage.principal);
      const limit = takeUse(world, this.#countersOf, ratelimit, { id, identifier });
      if (limit !== undefined) passage.limits.push(limit);
      if (limit?.exceeded === false) return;
      passage.policy = id;
      passage.outcome = "";
      const hint = limit ? limitHint(limit) : "the request has none of its identifiers";
      throw new Refusal("client:rate_limited", hint);
    }
    if (firewall?.action === "ACTION_DENY") {
      Object.assign(passage, { policy: id, outcome: "" });
      throw new Refusal("client:firewall_denied", "it denies this request");
    }
    if (keyauth === undefined || passage.principal !== undefined) return;
    passage.policy = id;
    const by = { fetch: this.#emulator.fetch, token };
    passage.principal = await authenticate(request, keyauth, by, (outcome, limits) => {
      passage.outcome = outcome;
      passage.limits.push(...limits);
    });
  }

  #routeOf(host: string): Route {
    const name = hostnameOf(host);
    const [only] = this.#routes;
    const found = this.#routes.find(({ hostname }) => hostname === undefined || hostname === name);
    const isLocal = this.#routes.length === 1 && ["localhost", "127.0.0.1", "::1"].includes(name);
    const route = isLocal ? only : found;
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
    const end = UNAVAILABLE.has(code) ? "service_unavailable" : "bad_gateway";
    return new Refusal(`upstream:${end}`, message);
  }
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
