import * as z from "zod/mini";
import { EXPECTED_KEYSPACE_ID, KEYSPACE_ID } from "../../schema/id.ts";
import { type OnChange, RecordSet } from "./record-set.ts";
import { SmallTable } from "../tables/table.ts";
import { byteLength, label, prefix } from "../vocabulary.ts";
import * as f from "../../schema/fields.ts";
import { type Problem, throwProblems } from "../../schema/problems.ts";
import { type IdMaker, randomId } from "../id-maker.ts";
import { lazily } from "../../base/lazily.ts";

export const keyspaceId = lazily(() =>
  z
    .string({ error: EXPECTED_KEYSPACE_ID })
    .check(z.regex(KEYSPACE_ID, { error: EXPECTED_KEYSPACE_ID })),
);

export const apiInit = lazily(() =>
  f.objectOf({
    id: f.described(f.id, "Keys refer to it as `apiId`."),
    name: z.optional(label()),
    defaultPrefix: f.optional(prefix(), "The prefix of keys that are created without one."),
    defaultByteLength: f.optional(
      byteLength(),
      "The `byteLength` of keys that are created without one.",
    ),
    storeEncryptedKeys: f.optional(
      f.flag(),
      "Whether keys can be created `recoverable`. Default: false.",
    ),
    keyspace: f.optional(f.flag(), "Whether the API can hold keys. Default: true."),
    keyspaceId: f.optional(
      keyspaceId(),
      "The id of its keyspace, which `keys.verifyKey` of v2 takes and answers. Default: one that follows from the random seed.",
    ),
    deleteProtection: f.optional(
      f.flag(),
      "Whether `apis.deleteApi` refuses to delete the API. Default: false.",
    ),
  }),
);
export type ApiInit = z.infer<ReturnType<typeof apiInit>>;

export class Api {
  readonly id: string;
  readonly name: string | undefined;
  readonly defaultPrefix: string | undefined;
  readonly defaultByteLength: number | undefined;
  readonly storeEncryptedKeys: boolean;
  readonly keyspace: boolean;
  /** Undefined without a keyspace. */
  readonly keyspaceId: string | undefined;
  readonly deleteProtection: boolean;

  constructor(init: ApiInit) {
    this.id = init.id;
    this.name = init.name;
    this.defaultPrefix = init.defaultPrefix;
    this.defaultByteLength = init.defaultByteLength;
    this.storeEncryptedKeys = init.storeEncryptedKeys ?? false;
    this.keyspace = init.keyspace ?? true;
    this.keyspaceId = init.keyspaceId;
    this.deleteProtection = init.deleteProtection ?? false;
  }
}

/** The APIs of a workspace. Each has the id of its keyspace, unless it has none. */
export class ApiSet extends RecordSet<ApiInit, Api> {
  readonly #ids: IdMaker;

  constructor(ids: IdMaker, onChange: OnChange<Api>) {
    super(new SmallTable<Api>(["id", "keyspaceId"]), {
      noun: "api",
      schema: apiInit,
      type: Api,
      build: (init, before) => this.#build(init, before),
      onChange,
    });
    this.#ids = ids;
  }

  override addListed(inits: readonly ApiInit[]): void {
    this.addAll(this.#toApis(inits));
  }

  /** The API with this id, if its keyspace id was given and so stays the same at each start. */
  findWithGivenKeyspace(id: string): Api | undefined {
    const api = this.get(id);
    const derived = keyspaceIdOf(this.#ids.address, id, () => false);
    return api?.keyspaceId === derived ? undefined : api;
  }

  /** @throws UsageError for an API without a keyspace that has a `keyspaceId` */
  #build(init: ApiInit, before: Api | undefined): Api {
    // An update to `keyspace: false` may keep the old id, which is dropped then.
    if (init.keyspaceId !== before?.keyspaceId) throwProblems("api", keyspaceProblems(init));
    return this.#toApis([init], before)[0] as Api;
  }

  #toApis(inits: readonly ApiInit[], before?: Api): Api[] {
    return toApis(inits, this.#ids.address, (id) => {
      const holder = this.table.find("keyspaceId", id);
      return holder !== undefined && holder !== before;
    });
  }
}

/**
 * The records of APIs. A keyspace without a given id gets one that no other API has.
 * @param address of the workspace: its `IdMaker` has it
 */
export function toApis(
  inits: readonly ApiInit[],
  address: string,
  isTaken: (id: string) => boolean = () => false,
): Api[] {
  const given = new Set(inits.map(({ keyspaceId }) => keyspaceId));
  const isUsed = (id: string) => given.has(id) || isTaken(id);
  return inits.map(({ keyspaceId, ...init }) => {
    if (init.keyspace === false) return new Api(init);
    return new Api({
      ...init,
      keyspaceId: keyspaceId ?? keyspaceIdOf(address, init.id, isUsed),
    });
  });
}

/** Problems of an API that its schema cannot find. */
export function keyspaceProblems({ keyspace, keyspaceId }: ApiInit): Problem[] {
  if (keyspace !== false || keyspaceId === undefined) return [];
  const expected = "cannot be used with `keyspace: false`; remove one of the two members";
  return [{ path: ["keyspaceId"], expected }];
}

/**
 * An id for a keyspace without a given one, in the form of the service. It depends only on the random seed and
 * the ids of workspace and API. So it uses up no other id, and a fixture gets the same keyspace ids each time
 * it is loaded.
 * @param isTaken whether another API has this id; then another one is made
 */
function keyspaceIdOf(address: string, apiId: string, isTaken: (id: string) => boolean): string {
  for (let attempt = 0; ; attempt += 1) {
    const id = randomId("ks", `${address}/keyspace/${apiId}/${attempt}`);
    if (!isTaken(id)) return id;
  }
}
