import { ApiError } from "../../contract/errors.ts";

/** @throws ApiError for a monthly refill without a day; v1 takes the first of the month */
export function checkRefillDay({
  interval,
  refillDay,
}: {
  readonly interval: "daily" | "monthly";
  readonly refillDay?: number | undefined;
}): void {
  if (interval !== "monthly" || refillDay !== undefined) return;
  const detail = "`refillDay` must be provided when the refill interval is `monthly`.";
  throw new ApiError("BAD_REQUEST", detail);
}
