import { quoteMasked } from "../base/wording/quote-masked.ts";

/** Key values and most tokens contain such a long run of letters and digits; API ids do not. */
const SECRET_RUN = /[A-Za-z0-9~+=]{20,}/g;

/** Quotes an id for a message, and masks it if it looks like a secret sent as the id. */
export function quoteId(id: string): string {
  return quoteMasked(id, SECRET_RUN);
}
