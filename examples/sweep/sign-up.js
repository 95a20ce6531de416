/** Creates the key of a customer, and resolves to its value. */
export async function signUp({ url, token }, customerId) {
  // The response may be lost after the key was created. Then the second attempt finds the key.
  const ensure = () => ensureKey({ url, token }, customerId);
  return ensure().catch(ensure);
}

/** Whether a caller with this key is let in. While the service fails, no caller is. */
export async function isLetIn({ url, token }, key) {
  try {
    return (await call({ url, token }, "keys.verifyKey", { key })).valid;
  } catch {
    return false;
  }
}

async function ensureKey(service, externalId) {
  const apiId = "api_local";
  const [known] = await call(service, "apis.listKeys", { apiId, externalId });
  const { key } = await (known === undefined
    ? call(service, "keys.createKey", { apiId, externalId, name: "main" })
    : call(service, "keys.rerollKey", { keyId: known.keyId, expiration: 0 }));
  return key;
}

async function call({ url, token = "any" }, operation, input) {
  const response = await fetch(`${url}/v2/${operation}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(input),
    signal: AbortSignal.timeout(2_000),
  });
  if (!response.ok) throw new Error(`${operation}: ${response.status}`);
  return (await response.json()).data;
}
