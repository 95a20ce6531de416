import { randomId } from "./id-sequence.ts";

/** What the ids of the keyspaces of a workspace follow from. */
export interface KeyspaceIds {
  readonly seed: number;
  readonly workspaceId: string;
}

/**
 * The id of the keyspace of an API that gives none, in the form of the service's. It follows from
 * the random seed and the ids of workspace and API alone. So it uses up no other id, and a snapshot
 * of an earlier version, which has none, gets the same ones each time that it is loaded.
 * @param isTaken whether another API has an id; then the next one of this API is used
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
