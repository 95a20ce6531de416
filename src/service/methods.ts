import { ApiError } from "../contract/errors.ts";

/** The methods that a path has with a route of this method. A path that has GET has HEAD too. */
export function methodsOf(method: string): readonly string[] {
  return method === "GET" ? ["GET", "HEAD"] : [method];
}

/** The 405 for a method that a path does not have. */
export function methodNotAllowed(message: string, allowed: readonly string[]): ApiError {
  return new ApiError("METHOD_NOT_ALLOWED", message, { headers: { Allow: allowed.join(", ") } });
}
