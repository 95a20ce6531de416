import { Unkey } from "unkey-api-2";

const { LATCHKEY_TOKEN: rootKey, LATCHKEY_URL: serverURL } = process.env;
const { keys } = new Unkey({ rootKey, serverURL });
const { data } = await keys.createKey({ apiId: "api_local" });
process.stdout.write(`${(await keys.verifyKey({ key: data.key })).data.code}\n`);
