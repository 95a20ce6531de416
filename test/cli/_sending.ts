/**
 * Code of a module that sends an unknown field twice and calls twice an operation that latchkey
 * does not serve, at `url` with `token`.
 */
export const SENDING = `
  const send = (path, body) =>
    fetch(url + path, {
      method: "POST",
      headers: { Authorization: "Bearer " + token, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  for (const name of ["a", "b"]) {
    await send("/v1/keys.createKey", { apiId: "api_local", name, nmae: "secret" });
    await send("/v1/keys.unheardOf", { key: "secret" });
    await send("/_latchkey/nothing", {});
  }
`;

/** Code that causes no warning. */
export const SENDING_WELL = `
  await fetch(url + "/v1/apis.listKeys?apiId=api_local", {
    headers: { Authorization: "Bearer " + token },
  });
`;
