import { randomId } from "./id-sequence.ts";

export interface KeyspaceIds {
  readonly seed: number;
  readonly workspaceId: string;
}

/**
 * The id of a keyspace that was given none, in the form of the service. It depends only on the random
 * seed and the ids of workspace and API. So it uses up no other id, and a fixture gets the same keyspace
 * ids each time that it is loaded.
 * @param isTaken whether another API has this id; then another one is made
 */
export function keyspaceIdOf(
  { seed, workspaceId }: KeyspaceIds,
  apiId: string,
  isTaken: (id: string) => boolean,
): string {
  for (let attempt = 0; ; attempt += 1) {
    const id = randomId("ks", `${seed}/${workspaceId}/keyspace/${apiId}/${attempt}`);
    if (!isTaken(id)) return id;
  }
}
