import {
  createGateway,
  type GatewayOptions,
  type Policy,
  type Principal,
} from "../../src/gateway.ts";
import type { EmulatorOptions, Fixture } from "../../src/index.ts";
import { givenEmulator, NOW } from "../_emulator.ts";

/** A key for each case that a gateway has to handle. */
export const orders: Fixture = {
  apis: [
    { id: "api_orders", keyspaceId: "ks_orders" },
    { id: "api_other", keyspaceId: "ks_other" },
  ],
  identities: [{ externalId: "acme", meta: { plan: "pro" } }],
  keys: [
    { id: "key_good", apiId: "api_orders", key: "ord_good", permissions: ["orders.read"] },
    { id: "key_acme", apiId: "api_orders", key: "ord_acme", externalId: "acme" },
    { apiId: "api_orders", key: "ord_disabled", enabled: false },
    { id: "key_old", apiId: "api_orders", key: "ord_expired", expires: NOW - 1 },
    { id: "key_used", apiId: "api_orders", key: "ord_used_up", credits: { remaining: 0 } },
    { id: "key_few", apiId: "api_orders", key: "ord_few", credits: { remaining: 3 } },
    { id: "key_else", apiId: "api_other", key: "ord_other" },
    {
      id: "key_limited",
      apiId: "api_orders",
      key: "ord_limited",
      ratelimits: [
        { name: "requests", limit: 1, duration: 60_000, autoApply: true },
        { name: "heavy", limit: 1, duration: 60_000, autoApply: false },
      ],
    },
  ],
};

interface Given {
  readonly policies?: readonly Policy[];
  readonly options?: Partial<GatewayOptions>;
  readonly emulator?: EmulatorOptions;
}

/** A gateway in front of a program that records each request and answers with the principal. */
export async function givenGateway({ policies = [], options, emulator: changed }: Given = {}) {
  const emulator = await givenEmulator({ fixtures: [orders], ...changed });
  const seen: Request[] = [];
  const upstream = (request: Request) => {
    seen.push(request);
    return new Response(request.headers.get("X-Unkey-Principal") ?? "nobody");
  };
  const gateway = createGateway(emulator, { upstream, policies, ...options });
  /** Sends a GET that accepts JSON. */
  const ask = async (path = "/orders", headers: Record<string, string> = {}, init = {}) => {
    const all = { Accept: "application/json", ...headers };
    const request = new Request(`http://localhost${path}`, { headers: all, ...init });
    const response = await gateway.fetch(request);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      code: text.startsWith('{"meta"') ? (JSON.parse(text).error.code as string) : undefined,
      hint: response.headers.get("X-Latchkey-Hint"),
      principal: text.startsWith('{"version"') ? (JSON.parse(text) as Principal) : undefined,
    };
  };
  const askWith = (key: string, path?: string, headers = {}) =>
    ask(path, { Authorization: `Bearer ${key}`, ...headers });
  return { emulator, gateway, seen, ask, askWith };
}
