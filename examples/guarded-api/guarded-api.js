/** An API that lets in only callers with a key, which the service verifies. */
export function guardedApi({ serviceUrl, rootKey }) {
  const call = (operation, input) =>
    fetch(`${serviceUrl}/v2/${operation}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${rootKey}`, "Content-Type": "application/json" },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(2_000),
    });

  const ask = async (operation, input) => {
    const response = await call(operation, input);
    if (!response.ok) throw new Error(`${operation}: the service answered ${response.status}`);
    return (await response.json()).data;
  };

  const ensureKey = async (customerId) => {
    const customer = { apiId: "api_weather", externalId: customerId };
    const [known] = await ask("apis.listKeys", customer);
    const { key } = await (known === undefined
      ? ask("keys.createKey", { ...customer, name: "Signed up" })
      : ask("keys.rerollKey", { keyId: known.keyId, expiration: 0 }));
    return key;
  };

  return {
    /** The answer to one request for the forecast. */
    async forecast(key) {
      const response = await call("keys.verifyKey", { key });
      if (!response.ok) {
        return { status: 503, retryAfter: response.headers.get("Retry-After") };
      }
      const { data } = await response.json();
      return data.valid ? { status: 200, text: "Sunny" } : { status: 401, reason: data.code };
    },

    /** Makes the key of a customer, and resolves to its value. */
    async signUp(customerId) {
      // A reply may be lost after the key was made. The second time finds the key.
      return ensureKey(customerId).catch(() => ensureKey(customerId));
    },
  };
}
