export { createGateway, type Gateway, type GatewayOptions } from "./gateway/gateway.ts";
export type { PolicyInit as Policy } from "./gateway/policies.ts";
export { type Principal, principalHeader, principalOf } from "./gateway/principal.ts";
export type { Upstream } from "./gateway/upstream.ts";
export { UsageError } from "./base/usage-error.ts";
