import { ApiError } from "../contract/errors.ts";

/** The routes of one path, by method. */
export class Endpoint<Route> {
  readonly routes: ReadonlyMap<string, Route>;
  /** The methods for the header `Allow`. A path that has GET has HEAD too. */
  readonly methods: readonly string[];

  constructor(routes: ReadonlyMap<string, Route>) {
    this.routes = routes;
    this.methods = [...routes.keys()].flatMap((method) =>
      method === "GET" ? ["GET", "HEAD"] : [method],
    );
  }

  find(method: string): Route | undefined {
    return this.routes.get(method === "HEAD" ? "GET" : method);
  }

  /**
   * The 405 for a method that `find` does not find.
   * @param others methods that the caller handles itself, for `Allow`
   */
  refuse(message: string, others: readonly string[] = []): ApiError {
    const headers = { Allow: [...this.methods, ...others].join(", ") };
    return new ApiError("METHOD_NOT_ALLOWED", message, { headers });
  }
}

/**
 * Finds the routes of a path. Paths are compared exactly, as in the service: with a trailing slash, it
 * is another path. A parameter like `{id}` is possible as the last segment; it matches any id.
 */
export class Router<Route> {
  readonly #endpoints = new Map<string, Endpoint<Route>>();

  /** @param placeOf where a route is served */
  constructor(
    routes: readonly Route[],
    placeOf: (route: Route) => { readonly method: string; readonly path: string },
  ) {
    for (const route of routes) {
      const { method, path: pattern } = placeOf(route);
      const path = pattern.replace(/\{\w+\}$/, ANY_WORD);
      const others = this.#endpoints.get(path)?.routes ?? [];
      this.#endpoints.set(path, new Endpoint(new Map([...others, [method, route]])));
    }
  }

  find(path: string): Endpoint<Route> | undefined {
    const endpoint = this.#endpoints.get(path);
    if (endpoint !== undefined) return endpoint;
    const start = path.lastIndexOf("/") + 1;
    const isWord = /^[\w-]+$/.test(path.slice(start));
    return isWord ? this.#endpoints.get(path.slice(0, start) + ANY_WORD) : undefined;
  }
}

/** The last segment of such a route in the map. No path of a request contains a question mark. */
const ANY_WORD = "?";
