export { orders, type OrdersOptions, type OrdersWorld } from "./sweep/orders.ts";
export {
  sweep,
  SweepError,
  type SweepOptions,
  type SweepWorld,
  type SweptProgram,
} from "./sweep/sweep.ts";
