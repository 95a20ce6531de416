/** Like the file in the service's docs of its local gateway. */
export const ofService = `
[local-dev]
http_port = 8080
api_url = "\${UNKEY_API_URL}"
root_key = "\${UNKEY_ROOT_KEY}"

[[local-dev.routes]]
hostname = "api.test"
upstream = "api:80"

[[local-dev.routes.policies]]
id = "authenticate"
enabled = true
keyauth = { key_space_ids = ["\${UNKEY_KEYSPACE_ID}"], credits = 0 }
`;

/** A file with one route that has these policies, written in TOML. */
export const route = (policies: string, more = "") => `
[local-dev]
root_key = "root"
[[local-dev.routes]]
hostname = "a.test"
upstream = "localhost:3000"
${more}
policies = [${policies}]
`;
