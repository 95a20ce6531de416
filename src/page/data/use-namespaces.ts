import type { Client } from "./client.ts";
import { useRoute } from "./use-route.ts";

/** A namespace of rate limits, as the control routes return it. */
export interface NamespaceState {
  readonly id: string;
  readonly name: string;
  readonly deleted: boolean;
  readonly overrides: readonly unknown[];
}

interface NamespacesReply {
  readonly ratelimitNamespaces: readonly NamespaceState[];
}

/** The namespaces of rate limits, which no operation lists; the first ones, if there are very many. */
export function useNamespaces(client: Client, revision: number) {
  const route = "/ratelimitNamespaces?limit=1000";
  const { answer, lines } = useRoute<NamespacesReply>(client, route, revision);
  return { namespaces: answer?.ratelimitNamespaces, lines };
}
