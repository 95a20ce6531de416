/**
 * Descriptions of the operation groups, for the OpenAPI document. The published interface has
 * operations of the first two groups only.
 */
export const groupDescriptions: Readonly<Record<string, string>> = {
  keys: "Single API keys.",
  apis: "APIs, and the keys that belong to them.",
  permissions: "Permissions and roles of keys.",
  identities: "The users and machines that keys belong to.",
  ratelimits: "Rate limits that belong to no key.",
  analytics: "How often keys are used.",
  migrations: "Keys from other systems.",
};
