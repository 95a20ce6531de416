import type { TokenNeeds } from "../../world/journal/needed-permissions.ts";
import type { Client } from "./client.ts";
import { useRoute } from "./use-route.ts";

/** The permissions that each token needs; read again when another call was made. */
export function useNeeds(client: Client, anyApi: boolean, calls: string | undefined) {
  const route = `/needed-permissions?anyApi=${anyApi}`;
  const { answer, lines } = useRoute<{ tokens: TokenNeeds[] }>(client, route, calls);
  return { tokens: answer?.tokens, lines };
}
