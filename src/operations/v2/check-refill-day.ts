import { refusals, refuse } from "./refusals.ts";

/** @throws ApiError for a monthly refill without a day; v1 takes the first of the month */
export function checkRefillDay({
  interval,
  refillDay,
}: {
  readonly interval: "daily" | "monthly";
  readonly refillDay?: number | undefined;
}): void {
  if (interval === "monthly" && refillDay === undefined) throw refuse(refusals.noRefillDay);
}
