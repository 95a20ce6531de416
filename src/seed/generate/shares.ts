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

  // The first key of each customer is in use, and older than `RECENT`, so the usage of no customer ends or
  // jumps. These shares are of the other keys: disabled, used up, forgotten, and not used.
  /** Keys that changed after they were created. */
  updated: 0.3,
  disabled: 0.1,
  /** Keys with a limited number of uses. */
  counted: 0.24,
  /** Of the keys with a limited number of uses, those with a refill every day. */
  refilled: 0.45,
  /** Of the keys with a limited number of uses and no refill, those with none left. */
  usedUp: 0.1,
  /** Of these keys, those with only a few uses left. */
  runningOut: 0.15,
  ratelimited: 0.38,
  /** Rate limits of the type `fast`. */
  fast: 0.85,
  /** Of the keys with a rate limit, those with another one for a whole day. */
  limitedByDay: 0.15,
  /** Of the keys with a rate limit, those that it has refused. */
  overLimit: 0.6,
  /** Customers whose keys share a rate limit. */
  limitedTogether: 0.2,
  /** Keys that expire in one to three days. */
  expiringSoon: 0.02,
  /** Keys that were used. */
  used: 0.9,
  /** Keys that were last used months ago. */
  forgotten: 0.08,
  /** Of the keys of an API that stores encrypted keys, those that are recoverable. */
  recoverable: 0.12,
  /** Keys with a direct permission, in addition to those of their roles. */
  ownPermission: 0.1,
  /** Keys with the region in their name: "Search API (eu-west-1)". */
  namedByRegion: 0.1,
  /** Keys with free-form data. */
  withMeta: 0.7,
  /** Keys that were created at working hours. */
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

/** How many keys a listed customer has, compared with others; weights. */
export const weights: Readonly<Record<PlanName, number>> = {
  free: 1,
  pro: 2,
  team: 4,
  enterprise: 8,
};

/** So many first keys of an API are of different customers, so that a short list has many customers. */
export const FIRST_CUSTOMERS = 12;
/** Verifications of a production key on a working day, by the customer's plan. */
export const calls: Readonly<Record<PlanName, number>> = {
  free: 25,
  pro: 150,
  team: 600,
  enterprise: 2_000,
};
/** What a key of another environment has of that. */
export const callShares: Readonly<Record<Environment, number>> = {
  production: 1,
  staging: 0.3,
  development: 0.08,
};
/**
 * In milliseconds. A key that is younger is only tried out. One that was refused for a shorter time is
 * still called. So the usage of the last weeks neither jumps nor ends.
 */
export const RECENT = 36 * 24 * 3_600_000;
/** What a key that is tried out has of the usual calls. */
export const TRIED_OUT = 0.04;

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
  /**
   * Names, separated by `|`. `{service}` is replaced by a part of the customer's system, and `{person}`
   * by the first name of the customer or of an employee.
   */
  readonly names: string;
  readonly weight: number;
  readonly environment: Environment;
  readonly role?: RoleName;
}

/** The purposes of keys. */
export const purposes: readonly Purpose[] = [
  {
    names: "{service} service|{service} API|{service} backend|{service} worker|{service} gateway",
    weight: 24,
    environment: "production",
    role: "editor",
  },
  {
    names:
      "iOS app|Android app|Web app|{service} widget|{service} app|{service} portal|{service} site",
    weight: 9,
    environment: "production",
    role: "viewer",
  },
  {
    names:
      "Zapier: {service}|Make: {service}|n8n: {service}|{service} webhooks|Slack bot|Teams bot|HubSpot sync|Salesforce sync|Shopify app|Zendesk app|Webhook relay|{service} connector|{service} sync",
    weight: 14,
    environment: "production",
    role: "integration",
  },
  {
    names:
      "Nightly export: {service}|Weekly report: {service}|Metabase|Grafana|Looker|Airflow|{service} dashboard|{service} report|{service} metrics",
    weight: 11,
    environment: "production",
    role: "analyst",
  },
  {
    names: "Billing sync|Invoice export|NetSuite sync|Xero sync|Month-end close|Revenue report",
    weight: 4,
    environment: "production",
    role: "billing",
  },
  {
    names: "Terraform|Pulumi|{service} migration|{service} backfill|{service} admin",
    weight: 5,
    environment: "production",
    role: "admin",
  },
  {
    names: "{service} batch|{service} cron|{service} scheduler|{service} queue",
    weight: 5,
    environment: "production",
  },
  {
    names:
      "Deploy {service}|GitHub Actions: {service}|GitLab CI: {service}|CircleCI: {service}|Release {service}",
    weight: 12,
    environment: "staging",
    role: "deployer",
  },
  {
    names:
      "{service} service (staging)|{service} API (staging)|{service} tests|{service} load test|Preview: {service}",
    weight: 16,
    environment: "staging",
    role: "editor",
  },
  {
    names:
      "{person}'s laptop|{person}'s sandbox|{person}: local development|{person}: Postman|{person}: trying things out",
    weight: 16,
    environment: "development",
    role: "editor",
  },
];

/** The values of `{service}` in names, separated by spaces. */
export const services =
  "Accounts Alerts Audit Basket Booking Calendar Catalog Chat Checkout Contacts Contracts Delivery Documents Events Feed Files Forecast Fraud Images Import Inventory Ledger Loyalty Mailing Maps Media Notifications Onboarding Orders Pricing Profile Quotes Ranking Receipts Refunds Returns Reviews Routing Search Session Shipping Signup Stock Subscriptions Tickets Translation Upload Vendor Wallet Warehouse";

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
