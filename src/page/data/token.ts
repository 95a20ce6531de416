import { ANY_TOKEN } from "./client.ts";
import { keep, readKept } from "./kept.ts";

/** Pattern of the tokens that a header can carry. */
export const TOKEN = "[!-~]{1,512}";

const NAME = "latchkey-tokens";
const MAX_KEPT = 8;

/** Tokens that were used in this tab, the last one first. */
export function usedTokens(): readonly string[] {
  try {
    const tokens: unknown = JSON.parse(readKept("sessionStorage", NAME) ?? "[]");
    return Array.isArray(tokens) ? tokens.filter((token) => typeof token === "string") : [];
  } catch {
    return [];
  }
}

/** The tokens that the page sends: one for operations, and a control token where that is not enough. */
export interface Tokens {
  readonly token: string;
  readonly controlToken: string | undefined;
}

const CONTROL_NAME = "latchkey-control-token";

/** Remembers both tokens in this tab. Without a control token, an earlier one is forgotten. */
export function keepTokens({ controlToken = "", token }: Tokens): void {
  const others = usedTokens().filter((used) => used !== token);
  keep("sessionStorage", NAME, JSON.stringify([token, ...others].slice(0, MAX_KEPT)));
  keep("sessionStorage", CONTROL_NAME, controlToken);
}

/**
 * Reads the tokens that the command line put into the fragment of the URL, and removes them from it,
 * because people share URLs.
 */
export function takeTokens(): Tokens | undefined {
  const members = new URLSearchParams(location.hash.slice(1));
  if (!members.has("token") && !members.has("control")) return undefined;
  const [token, controlToken] = ["token", "control"].map((name) => {
    const value = members.get(name) ?? "";
    members.delete(name);
    return new RegExp(`^${TOKEN}$`).test(value) ? value : undefined;
  });
  history.replaceState(null, "", members.size === 0 ? location.pathname : `#${members}`);
  if (token === undefined && controlToken === undefined) return undefined;
  const tokens = { token: token ?? ANY_TOKEN, controlToken };
  keepTokens(tokens);
  return tokens;
}

/** The tokens at the start: those of the URL, else those that this tab used last. */
export function firstTokens(): Tokens {
  const controlToken = readKept("sessionStorage", CONTROL_NAME) || undefined;
  return takeTokens() ?? { token: usedTokens()[0] ?? ANY_TOKEN, controlToken };
}

/** The first characters of a token, to tell it from others. */
export function shortToken(token: string): string {
  return token.length <= 6 ? token : `${token.slice(0, 6)}…`;
}
