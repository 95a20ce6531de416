import http, { type Agent, type ClientRequest } from "node:http";
import type { Redirects } from "./redirects.ts";

type AddRequest = (
  this: Agent,
  request: ClientRequest,
  options: object,
  ...others: unknown[]
) => void;

/**
 * Changes how agents send requests that name a redirected host in an absolute URL. That is how clients
 * like axios ask a proxy of HTTPS_PROXY.
 */
export function redirectProxied(redirects: Redirects): void {
  const agent = http.Agent.prototype as unknown as { addRequest: AddRequest };
  const { addRequest } = agent;
  agent.addRequest = function addInstead(request, options, ...others) {
    const url = /^https?:\/\//.test(request.path) ? new URL(request.path) : undefined;
    if (!redirects.covers(url?.hostname)) return addRequest.call(this, request, options, ...others);
    const { hostname, pathname, port, protocol, search } = url as URL;
    const asked = Number(port) || (protocol === "https:" ? 443 : 80);
    if (redirects.find(hostname, asked) === undefined) {
      request.destroy(redirects.otherPort(hostname, asked));
      return;
    }
    request.path = pathname + search;
    addRequest.call(this, request, { ...options, ...redirects.target }, ...others);
  };
}
