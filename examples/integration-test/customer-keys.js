import { Unkey } from "@unkey/api";

/** The part of a program that issues keys to customers. */
export function customerKeys({ serverURL, rootKey }) {
  const unkey = new Unkey({ serverURL, rootKey });
  const apiId = "api_shop";

  return {
    /** @throws Error if the service refuses */
    async issue(customerId, name) {
      const { data } = await unkey.keys.createKey({ apiId, externalId: customerId, name });
      return data.key;
    },

    async *all(customerId) {
      const pages = await unkey.apis.listKeys({ apiId, externalId: customerId, limit: 2 });
      for await (const { result } of pages) yield* result.data;
    },
  };
}
