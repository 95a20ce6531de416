/** An API that lets in only callers with a key, which the service verifies. */
export function guardedApi({ serviceUrl, rootKey }) {
  const call = (operation, input) =>
    fetch(`${serviceUrl}/v2/${operation}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${rootKey}`, "Content-Type": "application/json" },
      body: JSON.stringify(input),
    });

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

    /** Makes a key for a customer, and resolves to its value. */
    async signUp(customerId) {
      const input = { apiId: "api_weather", name: "Signed up", externalId: customerId };
      const { data } = await (await call("keys.createKey", input)).json();
      return data.key;
    },
  };
}
