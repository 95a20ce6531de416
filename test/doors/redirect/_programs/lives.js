/*
 * What each program does: it makes a key, lists and verifies it, and calls what latchkey does not serve.
 * The hosts are compiled in, as in programs of users.
 */
import { ways } from "./ways.js";

const token = { Authorization: "Bearer any", "Content-Type": "application/json" };

async function v2(call) {
  const post = async (name, input) => {
    const url = `https://api.unkey.com/v2/${name}`;
    const reply = await call(url, { method: "POST", headers: token, body: JSON.stringify(input) });
    return { status: reply.status, ...JSON.parse(reply.text) };
  };
  const { data } = await post("keys.createKey", { apiId: "api_local" });
  const listed = await post("apis.listKeys", { apiId: "api_local" });
  const verified = await post("keys.verifyKey", { key: data.key });
  const { error, status } = await post("projects.getProject", { project: "shop" });
  return {
    isListed: listed.data.some(({ keyId }) => keyId === data.keyId),
    isValid: verified.data.valid,
    unserved: `${status} ${error.detail}`,
  };
}

async function v1(call) {
  const send = async (method, name, input) => {
    const url = `https://api.unkey.dev/v1/${name}`;
    const body = input && JSON.stringify(input);
    const reply = await call(url, { method, headers: token, ...(body && { body }) });
    return { status: reply.status, ...JSON.parse(reply.text) };
  };
  const { key, keyId } = await send("POST", "keys.createKey", { apiId: "api_local" });
  const { keys } = await send("GET", "apis.listKeys?apiId=api_local");
  const { valid } = await send("POST", "keys.verifyKey", { key });
  const { error, status } = await send("POST", "identities.createIdentity", { externalId: "a" });
  return {
    isListed: keys.some(({ id }) => id === keyId),
    isValid: valid,
    unserved: `${status} ${error.message}`,
  };
}

/** The public client of v1, as it is installed: its default host is https://api.unkey.dev. */
async function client038() {
  const { Unkey } = await import("@unkey/api");
  const { apis, identities, keys } = new Unkey({ rootKey: "any" });
  const { key, keyId } = (await keys.create({ apiId: "api_local" })).result;
  const listed = await apis.listKeys({ apiId: "api_local" });
  const verified = await keys.verify({ key, apiId: "api_local" });
  const { error } = await identities.create({ externalId: "ann" });
  return {
    isListed: listed.result.keys.some(({ id }) => id === keyId),
    isValid: verified.result.valid,
    unserved: `${error.code === "NOT_FOUND" ? 404 : error.code} ${error.message}`,
  };
}

/** The public client of v2, as it is installed: its default host is https://api.unkey.com. */
async function client251() {
  const { Unkey } = await import("unkey-api-2");
  const { apis, keys, projects } = new Unkey({ rootKey: "any" });
  const { data } = await keys.createKey({ apiId: "api_local" });
  const listed = await apis.listKeys({ apiId: "api_local" });
  const verified = await keys.verifyKey({ key: data.key });
  const error = await projects.getProject({ project: "shop" }).catch((reason) => reason);
  return {
    isListed: listed.result.data.some(({ keyId }) => keyId === data.keyId),
    isValid: verified.data.valid,
    unserved: `${error.statusCode} ${error.error.detail}`,
  };
}

/** Resolves to what a program sees that calls in this way. */
export function live(name) {
  if (name === "@unkey/api 0.38") return client038();
  if (name === "@unkey/api 2.5.1") return client251();
  const [way, version] = name.split(" as ");
  return version === "v1" ? v1(ways[way]) : v2(ways[way]);
}
