/**
 * What a generated world is made up of, all in one place. A share is a part of one; weights count
 * against each other.
 */
export const shares = {
  /** Keys that belong to a customer who had none; the others go to one who has, who then has more. */
  newCustomer: 0.5,
  /** Keys that belong to nobody: the product's own. */
  withoutCustomer: 0.05,
  /** Customers that are companies; the others are single persons. */
  company: 0.75,

  /** Keys that changed after they were created. */
  updated: 0.3,
  disabled: 0.06,
  /** Keys with an expiry. It counts from the creation, so those of old keys have passed. */
  expiring: 0.22,
  /** Keys with a use counter, how many of these are filled up, and how many are used up. */
  counted: 0.24,
  refilled: 0.65,
  usedUp: 0.08,
  /** Refills that come every month; the others come every day. */
  monthly: 0.8,
  ratelimited: 0.38,
  /** Rate limits of the type `fast`. */
  fast: 0.85,
  /** Of the keys of an API that stores encrypted keys. */
  recoverable: 0.12,
  /** Keys with a permission of their own, beside those of their roles. */
  ownPermission: 0.1,
  /** Keys whose name says where they are used: "Production server (eu-west-1)". */
  namedByRegion: 0.1,
  /** Keys with free-form data. */
  withMeta: 0.7,
} as const;

/** Weights. */
export const plans = { free: 50, pro: 30, team: 14, enterprise: 6 } as const;
export type PlanName = keyof typeof plans;

/** Weights. */
export const regions = {
  "us-east-1": 34,
  "us-west-2": 18,
  "eu-west-1": 18,
  "eu-central-1": 16,
  "ap-southeast-1": 9,
  "sa-east-1": 5,
} as const;

/** Weights. */
export const teams = { platform: 30, backend: 25, data: 15, mobile: 12, growth: 10, support: 8 };

/** Put in front of a key's value, behind the API's own prefix. */
export const prefixes = { production: "live", staging: "test", development: "dev" } as const;
export type Environment = keyof typeof prefixes;

/** Uses in one window, by the customer's plan. */
export const limits: Readonly<Record<PlanName, number>> = {
  free: 10,
  pro: 100,
  team: 500,
  enterprise: 2_000,
};
/** Windows of rate limits (ms); weights. */
export const windows = { 1_000: 50, 10_000: 20, 60_000: 30 } as const;

/** Uses that a counted key begins with; weights. */
export const allowances = { 100: 30, 1_000: 35, 5_000: 15, 10_000: 15, 100_000: 5 } as const;

/** Days that a key is good for; weights. */
export const lifetimes = { 7: 5, 30: 25, 90: 40, 365: 30 } as const;

/** How far creation reaches back (ms). */
export const SPAN = 730 * 24 * 3_600_000;
/** Below one, more was created of late: at this power of an even spread. */
export const LATENESS = 0.6;

/** Roles, each with permissions that fit together. */
export const roles = {
  admin: [
    "projects.read",
    "projects.write",
    "members.read",
    "members.write",
    "webhooks.read",
    "webhooks.write",
    "billing.read",
    "billing.write",
    "usage.read",
  ],
  editor: ["projects.read", "projects.write", "webhooks.read"],
  viewer: ["projects.read"],
  deployer: ["projects.read", "deployments.read", "deployments.create"],
  integration: ["projects.read", "projects.write", "webhooks.read", "webhooks.write"],
  analyst: ["projects.read", "usage.read", "exports.create"],
  billing: ["billing.read", "invoices.read", "usage.read"],
} as const satisfies Record<string, readonly string[]>;
export type RoleName = keyof typeof roles;

export interface Purpose {
  /** `{person}` stands for a first name. */
  readonly name: string;
  readonly weight: number;
  readonly environment: Environment;
  readonly role?: RoleName;
}

/** What people make keys for, and how they call them. */
export const purposes: readonly Purpose[] = [
  { name: "Production server", weight: 16, environment: "production", role: "editor" },
  { name: "Staging server", weight: 9, environment: "staging", role: "editor" },
  { name: "CI deploy", weight: 9, environment: "production", role: "deployer" },
  { name: "GitHub Actions", weight: 7, environment: "staging", role: "deployer" },
  { name: "Zapier integration", weight: 6, environment: "production", role: "integration" },
  { name: "{person}'s laptop", weight: 6, environment: "development", role: "editor" },
  { name: "Slack bot", weight: 4, environment: "production", role: "integration" },
  { name: "iOS app", weight: 4, environment: "production", role: "viewer" },
  { name: "Android app", weight: 3, environment: "production", role: "viewer" },
  { name: "Internal dashboard", weight: 4, environment: "production", role: "analyst" },
  { name: "Nightly export", weight: 4, environment: "production", role: "analyst" },
  { name: "Grafana", weight: 3, environment: "production", role: "analyst" },
  { name: "Billing sync", weight: 3, environment: "production", role: "billing" },
  { name: "CRM sync", weight: 3, environment: "production", role: "integration" },
  { name: "Webhook relay", weight: 3, environment: "production", role: "integration" },
  { name: "Terraform", weight: 3, environment: "production", role: "admin" },
  { name: "Local development", weight: 4, environment: "development", role: "editor" },
  { name: "Postman", weight: 3, environment: "development", role: "viewer" },
  { name: "End-to-end tests", weight: 3, environment: "staging", role: "editor" },
  { name: "Load test", weight: 2, environment: "staging", role: "editor" },
  { name: "Support tooling", weight: 2, environment: "production", role: "viewer" },
  { name: "Partner access", weight: 2, environment: "production", role: "viewer" },
  { name: "Data migration", weight: 2, environment: "production", role: "admin" },
  { name: "Old backend", weight: 2, environment: "production" },
  { name: "Trying things out", weight: 3, environment: "development" },
];
