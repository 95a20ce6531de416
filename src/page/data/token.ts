import { keep, readKept } from "./kept.ts";
import { ANY_TOKEN, type Tokens } from "./connection.ts";

/** Pattern of the tokens that a header can carry. */
export const TOKEN = "[!-~]{1,512}";

const [NAME, CONTROL_NAME] = ["latchkey-token", "latchkey-control-token"];

/** Remembers both tokens in this tab. Without a control token, an earlier one is forgotten. */
export function keepTokens({ controlToken = "", token }: Tokens): void {
  keep("sessionStorage", NAME, token);
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

/** The tokens at the start: from the URL, else the ones that this tab used last. */
export function firstTokens(): Tokens {
  const controlToken = readKept("sessionStorage", CONTROL_NAME) || undefined;
  return takeTokens() ?? { token: readKept("sessionStorage", NAME) ?? ANY_TOKEN, controlToken };
}

/** The first characters of a token, to recognise it. */
export function shortToken(token: string): string {
  return token.length <= 6 ? token : `${token.slice(0, 6)}…`;
}

/** Like `token 1 of the fixture` for `tokens[0]`, because a token itself is never shown. */
export function tokenWords(name: string): string {
  const [, kind, index] = /(\w+)\[(\d+)\]$/.exec(name) ?? [];
  const number = Number(index) + 1;
  return kind === "unlisted" ? `unlisted token ${number}` : `token ${number} of the fixture`;
}
