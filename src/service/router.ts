import { ApiError } from "../contract/errors.ts";

interface Served {
  readonly method: string;
  readonly path: string;
}

/** What is served at one path. */
export class Endpoint<Route extends Served> {
  /** One for each method. */
  readonly routes: readonly Route[];
  /** What `Allow` names: HEAD goes wherever GET does. */
  readonly methods: readonly string[];

  constructor(routes: readonly Route[], more: readonly string[]) {
    const own = routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    this.routes = routes;
    this.methods = [...own, ...more];
  }

  find(method: string): Route | undefined {
    const served = method === "HEAD" ? "GET" : method;
    return this.routes.find((route) => route.method === served);
  }

  /** The refusal of a method that `find` does not find. */
  refuse(message: string): ApiError {
    const headers = { Allow: this.methods.join(", ") };
    return new ApiError("METHOD_NOT_ALLOWED", message, { headers });
  }
}

/**
 * What is served, by path. Paths are matched to the letter: a trailing slash is another path, as it
 * is for the service. One that ends in `{id}` takes any word there.
 */
export class Router<Route extends Served> {
  readonly #endpoints = new Map<string, Endpoint<Route>>();

  /** Each path answers the methods of its routes, and those in `more`. */
  constructor(routes: readonly Route[], more: readonly string[] = []) {
    for (const route of routes) {
      const path = route.path.replace(/\{\w+\}$/, ANY_WORD);
      const { routes: others = [] } = this.#endpoints.get(path) ?? {};
      this.#endpoints.set(path, new Endpoint([...others, route], more));
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

/** No path that is sent has a question mark. */
const ANY_WORD = "?";
