import { Unkey } from "@unkey/api";

/** The part of a program that issues keys to customers. */
export function customerKeys({ baseUrl, rootKey }) {
  const unkey = new Unkey({ baseUrl, rootKey });
  const apiId = "api_shop";

  return {
    /** @throws Error if the service refuses */
    async issue(customerId, name) {
      const { result, error } = await unkey.keys.create({ apiId, externalId: customerId, name });
      if (error) throw new Error(`${error.code}: ${error.message}`);
      return result.key;
    },

    async *all(customerId) {
      let cursor;
      do {
        const query = { apiId, externalId: customerId, limit: 2, ...(cursor && { cursor }) };
        const { result, error } = await unkey.apis.listKeys(query);
        if (error) throw new Error(`${error.code}: ${error.message}`);
        yield* result.keys;
        cursor = result.cursor;
      } while (cursor !== undefined);
    },
  };
}
