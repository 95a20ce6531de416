import { toRegExp } from "../base/re2.ts";
import type { Match, PolicyInit, TextMatch } from "./policies.ts";
import { type GatewayRequest, textsAt } from "./request.ts";

/** Whether a policy runs for a request: it is enabled, and all its expressions match. */
export function applies({ enabled = true, match = [] }: PolicyInit, request: GatewayRequest) {
  return enabled && match.every((expression) => isMatch(request, expression));
}

/** An expression without a member matches nothing. */
function isMatch(request: GatewayRequest, expression: Match): boolean {
  const { header, method, path, queryParam } = expression;
  if (method) {
    const { methods = [] } = method;
    return methods.length === 0 || methods.some((name) => isSame(name, request.method, true));
  }
  const { present = true, value = path?.path } = header ?? queryParam ?? {};
  const texts = textsAt(expression, request);
  if (value === undefined) return present === texts.length > 0;
  // One matching value is enough, also among the values in one line of a header.
  const parts = header ? texts.flatMap((text) => text.split(", ")) : [];
  return [...texts, ...parts].some((text) => isText(text, value));
}

function isText(text: string, { exact, ignoreCase = false, prefix, regex }: TextMatch): boolean {
  if (exact !== undefined) return isSame(text, exact, ignoreCase);
  if (prefix !== undefined) return isSame(text.slice(0, prefix.length), prefix, ignoreCase);
  if (regex === undefined) return true;
  const expression = toRegExp(regex, ignoreCase);
  return "test" in expression && expression.test(text);
}

function isSame(one: string, other: string, ignoreCase: boolean): boolean {
  return one === other || (ignoreCase && one.toLowerCase() === other.toLowerCase());
}
