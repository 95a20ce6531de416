/**
 * The parameters of made-up keys. A share is a fraction from 0 to 1. Weights are relative to each other.
 */
export const shares = {
  /** Keys that are the first of a customer. The others go to a customer who already has one. */
  newCustomer: 0.5,
  /** Keys without a customer: internal keys of the product. */
  withoutCustomer: 0.05,
  /** Customers that are companies. The others are individuals. */
  company: 0.75,

  /** Keys that changed after they were created. */
  updated: 0.3,
  disabled: 0.06,
  /** Keys with a limited number of uses. */
  counted: 0.24,
  /** Of the keys with a limited number of uses, those with a refill. */
  refilled: 0.65,
  /** Of the keys with a limited number of uses, those with none left. */
  usedUp: 0.08,
  /** Refills that come every month; the others come every day. */
  monthly: 0.8,
  ratelimited: 0.38,
  /** Rate limits of the type `fast`. */
  fast: 0.85,
  /** Of the keys with a rate limit, those with another one for a whole day. */
  limitedByDay: 0.15,
  /** Customers whose keys share a rate limit. */
  limitedTogether: 0.2,
  /** Of the keys with uses left, those with only a few. */
  runningOut: 0.08,
  /** Of the monthly refills, those that come tomorrow. */
  refilledTomorrow: 0.06,
  /** Keys that expire within a day. */
  expiringSoon: 0.02,
  /** Keys that were used before. */
  used: 0.85,
  /** Of the keys of an API that stores encrypted keys, those that are recoverable. */
  recoverable: 0.12,
  /** Keys with a direct permission, in addition to those of their roles. */
  ownPermission: 0.1,
  /** Keys with the region in their name: "Production server (eu-west-1)". */
  namedByRegion: 0.1,
  /** Keys with free-form data. */
  withMeta: 0.7,
  /** Keys whose time of creation is moved to working hours. */
  atWork: 0.8,
} as const;

export type PlanName = "free" | "pro" | "team" | "enterprise";

/**
 * Weights of plans, by tiers of customer numbers. Customers with low numbers have the most keys. A
 * customer is in the first tier whose `upTo` is not below their number.
 */
export const planTiers: readonly {
  readonly upTo: number;
  readonly plans: Readonly<Record<PlanName, number>>;
}[] = [
  { upTo: 10, plans: { free: 0, pro: 5, team: 40, enterprise: 55 } },
  { upTo: 80, plans: { free: 5, pro: 45, team: 35, enterprise: 15 } },
  { upTo: Infinity, plans: { free: 56, pro: 31, team: 10, enterprise: 3 } },
];

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

/** The part of a key's prefix after the prefix of the API. */
export const prefixes = { production: "live", staging: "test", development: "dev" } as const;
export type Environment = keyof typeof prefixes;

/** Rate limits: uses per window, by the customer's plan. */
export const limits: Readonly<Record<PlanName, number>> = {
  free: 10,
  pro: 100,
  team: 500,
  enterprise: 2_000,
};
/** Windows of rate limits, in milliseconds, with weights. */
export const windows = { 1_000: 50, 10_000: 20, 60_000: 30 } as const;

/** Initial uses of keys with a limited number of them, by the customer's plan; weights. */
export const allowances: Readonly<Record<PlanName, Readonly<Record<number, number>>>> = {
  free: { 100: 60, 1_000: 40 },
  pro: { 1_000: 40, 5_000: 35, 10_000: 25 },
  team: { 10_000: 50, 50_000: 50 },
  enterprise: { 100_000: 60, 1_000_000: 40 },
};

/** Keys that expire, by environment. Lifetimes start at creation, so old keys have expired. */
export const expiring: Readonly<Record<Environment, number>> = {
  production: 0.1,
  staging: 0.3,
  development: 0.55,
};
/** Days from creation to expiry; weights. */
export const lifetimes: Readonly<Record<Environment, Readonly<Record<number, number>>>> = {
  production: { 365: 70, 730: 30 },
  staging: { 90: 50, 365: 50 },
  development: { 7: 10, 30: 40, 90: 50 },
};

/** The period before the current time in which keys are created, in milliseconds. */
export const SPAN = 730 * 24 * 3_600_000;
/**
 * Evenly distributed numbers from 0 to 1 are raised to this power. With a power below 1, more keys are
 * created late in the period.
 */
export const LATENESS = 0.75;

/** Roles with their permissions. */
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
type RoleName = keyof typeof roles;

export interface Purpose {
  /** `{person}` is replaced by the first name of the customer or of an employee. */
  readonly name: string;
  readonly weight: number;
  readonly environment: Environment;
  readonly role?: RoleName;
}

/** The purposes of keys, with their names. */
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
  { name: "Batch worker", weight: 2, environment: "production" },
  { name: "Trying things out", weight: 3, environment: "development" },
];

/** The parts of company names: "Copper Kestrel", "Juniper Analytics", "Akron Foods". */
export const companies = {
  /** Patterns with weights. Cities and family names come from faker. */
  forms: {
    "{noun} {sector}": 30,
    "{adjective} {noun}": 25,
    "{city} {sector}": 30,
    "{family} {sector}": 15,
  },
  /** The values of `{adjective}`, `{noun}` and `{sector}`, separated by spaces. */
  words: {
    adjective:
      "Amber Blue Bright Bronze Clear Copper Crimson Fair Golden Grand Green High Little Lunar New Open Pacific Plain Prime Quiet Red Silver Solar Still True Upper White Wild",
    noun: "Acorn Alder Anchor Arrow Atlas Badger Bay Beacon Birch Bluff Bridge Brook Canyon Cedar Cliff Clover Comet Compass Coral Crane Delta Dune Eagle Ember Falcon Fern Field Finch Fjord Forge Fox Garnet Glade Granite Grove Harbor Hawk Hazel Heron Hill Hollow Island Ivy Jay Juniper Kestrel Lantern Lark Laurel Ledge Lotus Maple Marsh Meadow Mesa Mill Mint Moss Nest Oak Orbit Orchard Otter Owl Peak Pebble Pine Planet Plum Pond Poplar Quarry Quartz Raven Reef Ridge River Robin Sage Shore Sierra Slate Sparrow Spruce Stone Stream Summit Swift Thistle Tide Timber Trail Valley Vine Wave Willow Wren Yarrow",
    sector:
      "Analytics Apps Bank Bikes Capital Commerce Dental Education Energy Foods Freight Games Health Homes Insurance Labs Logistics Media Mobility Payments Retail Robotics Software Studio Supply Systems Travel",
  },
} as const;
