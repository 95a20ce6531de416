export { SweepError } from "./sweep/baseline.ts";
export { orders, type OrdersOptions, type OrdersWorld } from "./sweep/orders.ts";
export { sweep, type SweepOptions, type SweptProgram } from "./sweep/sweep.ts";
export type { SweepWorld } from "./sweep/world.ts";
