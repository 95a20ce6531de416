import type { Match, Policy, TextMatch } from "./policies.ts";
import { toRegExp } from "../base/re2.ts";
import { type GatewayRequest, pathOf, queryOf, valuesOf } from "./request.ts";

/** Whether a request is one that the policy is for: all its expressions match. */
export function matches(request: GatewayRequest, { match = [] }: Policy): boolean {
  return match.every((expression) => isMatch(request, expression));
}

/** An expression without a member matches nothing. */
function isMatch(request: GatewayRequest, { header, method, path, queryParam }: Match): boolean {
  if (path !== undefined) return isText(pathOf(request), path.path);
  if (method !== undefined) {
    const { methods = [] } = method;
    return methods.length === 0 || methods.some((name) => isSame(name, request.method, true));
  }
  // Of several values one suffices, also where they are in one line.
  if (header !== undefined) {
    const values = valuesOf(request, header.name);
    return isAny(
      values.flatMap((value) => [value, ...value.split(", ")]),
      header,
    );
  }
  return queryParam !== undefined && isAny(queryOf(request).getAll(queryParam.name), queryParam);
}

function isAny(
  values: readonly string[],
  {
    present,
    value,
  }: { readonly present?: boolean | undefined; readonly value?: TextMatch | undefined },
): boolean {
  if (value !== undefined) return values.some((each) => isText(each, value));
  return (present ?? true) === values.length > 0;
}

function isText(value: string, { exact, ignoreCase = false, prefix, regex }: TextMatch = {}) {
  if (exact !== undefined) return isSame(value, exact, ignoreCase);
  if (prefix !== undefined) return isSame(value.slice(0, prefix.length), prefix, ignoreCase);
  if (regex === undefined) return true;
  const expression = toRegExp(regex, ignoreCase);
  return expression instanceof RegExp && expression.test(value);
}

function isSame(one: string, other: string, ignoreCase: boolean): boolean {
  return one === other || (ignoreCase && one.toLowerCase() === other.toLowerCase());
}
