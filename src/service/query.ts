import { badRequest } from "../contract/errors.ts";
import { wholeOrLength } from "../base/wording/shorten.ts";

/**
 * Reads the parameters of a query.
 * @param prefix put before the name of a parameter in error messages
 * @throws ApiError BAD_REQUEST for a parameter that is sent twice or cannot be decoded
 */
export function readQuery(query: string, prefix = ""): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null);
  // Few queries need to be decoded, which is slow.
  const isEncoded = ENCODED.test(query);
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const separator = pair.indexOf("=");
    const rawName = separator === -1 ? pair : pair.slice(0, separator);
    const name = isEncoded ? decode(rawName, "query") : rawName;
    if (name in parameters) {
      throw badRequest(
        `${prefix}${wholeOrLength(name, SHOWN_CHARACTERS)}: expected once, got it more than once`,
      );
    }
    const value = separator === -1 ? "" : pair.slice(separator + 1);
    parameters[name] = isEncoded
      ? decode(value, `${prefix}${wholeOrLength(name, SHOWN_CHARACTERS)}`)
      : value;
  }
  return parameters;
}

/** Clients choose the names of parameters. */
const SHOWN_CHARACTERS = 100;
const ENCODED = /[%+]/;

/** Not `URLSearchParams`, which accepts invalid percent-encoding. The service refuses it. */
function decode(text: string, place: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw badRequest(`${place}: expected percent-encoding that decodes as UTF-8`);
  }
}
