/**
 * The groups of the interface, and what their operations are about; for the OpenAPI document. The
 * interface shows operations of the first two only.
 */
export const groupDescriptions: Readonly<Record<string, string>> = {
  keys: "API keys, one by one.",
  apis: "APIs, and the keys that belong to them.",
  permissions: "Permissions and roles of keys.",
  identities: "The users and machines that keys belong to.",
  ratelimits: "Rate limits that belong to no key.",
  analytics: "How often keys are used.",
  migrations: "Keys that were made elsewhere.",
};
