export { createGateway, type Gateway } from "./gateway/gateway.ts";
export type { GatewayOptions } from "./gateway/options.ts";
export type { PolicyInit as Policy } from "./gateway/policies.ts";
export { type Principal, principalHeader, principalOf } from "./gateway/principal.ts";
export type { Upstream } from "./gateway/upstream.ts";
export { UsageError } from "./base/usage-error.ts";
