import { ANY_TOKEN } from "./client.ts";
import { keep, readKept } from "./kept.ts";

/** What a header can carry. */
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

export function keepToken(token: string): void {
  const others = usedTokens().filter((used) => used !== token);
  keep("sessionStorage", NAME, JSON.stringify([token, ...others].slice(0, MAX_KEPT)));
}

/**
 * The token of the address, where the command line puts it. It is taken out of it, because people
 * share addresses.
 */
export function takeToken(): string | undefined {
  const members = new URLSearchParams(location.hash.slice(1));
  const token = members.get("token");
  if (token === null || !new RegExp(`^${TOKEN}$`).test(token)) return undefined;
  members.delete("token");
  history.replaceState(null, "", members.size === 0 ? location.pathname : `#${members}`);
  keepToken(token);
  return token;
}

/** The token to begin with. */
export function firstToken(): string {
  return takeToken() ?? usedTokens()[0] ?? ANY_TOKEN;
}

/** Enough to tell it from others. */
export function shortToken(token: string): string {
  return token.length <= 6 ? token : `${token.slice(0, 6)}…`;
}
