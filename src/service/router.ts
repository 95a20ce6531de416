import { ApiError } from "../contract/errors.ts";

interface Served {
  readonly method: string;
  readonly path: string;
}

/** The routes of one path. */
export class Endpoint<Route extends Served> {
  /** One for each method. */
  readonly routes: readonly Route[];
  /** The methods for the header `Allow`. A path that has GET has HEAD too. */
  readonly methods: readonly string[];

  constructor(routes: readonly Route[]) {
    this.routes = routes;
    this.methods = routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  }

  find(method: string): Route | undefined {
    const served = method === "HEAD" ? "GET" : method;
    return this.routes.find((route) => route.method === served);
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
 * is another path. A parameter like `{id}` is possible as the last segment; it matches any word.
 */
export class Router<Route extends Served> {
  readonly #endpoints = new Map<string, Endpoint<Route>>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const path = route.path.replace(/\{\w+\}$/, ANY_WORD);
      const { routes: others = [] } = this.#endpoints.get(path) ?? {};
      this.#endpoints.set(path, new Endpoint([...others, route]));
    }
  }

  find(path: string): Endpoint<Route> | undefined {
    const endpoint = this.#endpoints.get(path);
    if (endpoint !== undefined) return endpoint;
    const start = path.lastIndexOf("/") + 1;
    const isWord = /^\w+$/.test(path.slice(start));
    return isWord ? this.#endpoints.get(path.slice(0, start) + ANY_WORD) : undefined;
  }
}

/** Stands for the last segment in the map. No path that is sent contains a question mark. */
const ANY_WORD = "?";
