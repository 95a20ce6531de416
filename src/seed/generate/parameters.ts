import { DAY } from "../../state/time/refill.ts";

/** What generated keys have in common. A share is a fraction from 0 to 1. */
export const shares = {
  /** Keys that are the first of a customer. The others go to a customer who already has one. */
  newCustomer: 0.5,
  /** Keys without a customer: internal keys of the product. */
  withoutCustomer: 0.05,

  // The first key of each customer is in use, and older than `RECENT`, so no customer's usage ends or
  // jumps. Some shares count only the other keys: disabled, used up, forgotten, and not used.
  /** Keys that changed after they were created. */
  updated: 0.3,
  disabled: 0.1,
  /** Keys with a limited number of uses. */
  counted: 0.24,
  /** Keys with a refill every day, of those with a limited number of uses. */
  refilled: 0.45,
  /** Keys with no uses left, of those with a limited number of uses and no refill. */
  usedUp: 0.1,
  ratelimited: 0.38,
  /** Keys that were refused, of those with a rate limit. */
  overLimit: 0.6,
  expiring: 0.2,
  /** Keys that expire in one to three days. */
  expiringSoon: 0.02,
  /** Keys that were used. */
  used: 0.9,
  /** Keys that were last used months ago. */
  forgotten: 0.08,
  /** Recoverable keys, of those whose API stores encrypted keys. */
  recoverable: 0.12,
  /** Keys with a direct permission, in addition to those of their roles. */
  ownPermission: 0.1,
  /** Keys with free-form data. */
  withMeta: 0.7,
} as const;

/**
 * `weight`: how many customers have the plan, compared with others. `keys`: how many keys a listed customer
 * has, compared with others. `calls`: verifications of a production key on a working day. `limit`: uses of a
 * rate limit in one window.
 */
export const plans = {
  free: { weight: 50, keys: 1, calls: 25, limit: 10 },
  pro: { weight: 30, keys: 2, calls: 150, limit: 100 },
  team: { weight: 15, keys: 4, calls: 600, limit: 500 },
  enterprise: { weight: 5, keys: 8, calls: 2_000, limit: 2_000 },
} as const;
export type PlanName = keyof typeof plans;

/** The first customers have the most keys, so they have the larger plans. */
export const LARGE_CUSTOMERS = 40;
/** The first keys of an API have different customers, so that a short list has many customers. */
export const FIRST_CUSTOMERS = 12;

/**
 * `prefix`: the part of a key's prefix after the prefix of the API. `calls`: fraction of production
 * traffic. `lifetime`: days from creation to expiry, for keys that expire.
 */
export const environments = {
  production: { prefix: "live", calls: 1, lifetime: 365 },
  staging: { prefix: "test", calls: 0.3, lifetime: 90 },
  development: { prefix: "dev", calls: 0.08, lifetime: 30 },
} as const;
export type Environment = keyof typeof environments;

/** Windows of rate limits, in milliseconds. */
export const windows = [1_000, 10_000, 60_000] as const;

/** The period before the current time in which keys are created, in milliseconds. */
export const SPAN = 730 * DAY;
/**
 * Evenly distributed numbers from 0 to 1 are raised to this power. With a power below 1, more keys are
 * created late in the period.
 */
export const LATENESS = 0.75;
/**
 * In milliseconds. A younger key has little traffic. A key that was refused more recently is still
 * called. So recent usage has no jump and no gap.
 */
export const RECENT = 36 * DAY;
/** Fraction of normal traffic that a new key gets. */
export const TRIED_OUT = 0.04;

/** Roles with their permissions. */
export const roles = {
  admin: ["projects.read", "projects.write", "members.write", "billing.write", "usage.read"],
  editor: ["projects.read", "projects.write", "webhooks.read"],
  viewer: ["projects.read", "usage.read"],
  deployer: ["projects.read", "deployments.create"],
} as const satisfies Record<string, readonly string[]>;

export const permissions = [...new Set(Object.values(roles).flat())];

export interface Purpose {
  /** How many keys have the purpose, compared with others. */
  readonly weight: number;
  readonly environment: Environment;
  readonly role: keyof typeof roles;
  /** `{service}` is replaced by a part of the customer's system, and `{person}` by a first name. */
  readonly names: readonly string[];
}

/** The purposes of keys. */
export const purposes: readonly Purpose[] = [
  {
    weight: 40,
    environment: "production",
    role: "editor",
    names: ["{service} API", "{service} worker", "{service} app", "{service} webhooks"],
  },
  {
    weight: 20,
    environment: "production",
    role: "viewer",
    names: ["{service} dashboard", "{service} report", "Nightly export: {service}"],
  },
  {
    weight: 8,
    environment: "production",
    role: "admin",
    names: ["Terraform: {service}", "{service} backfill"],
  },
  {
    weight: 16,
    environment: "staging",
    role: "deployer",
    names: ["Deploy {service}", "GitHub Actions: {service}", "{service} tests"],
  },
  {
    weight: 16,
    environment: "development",
    role: "editor",
    names: ["{person}'s laptop", "{person}: local development"],
  },
];

/** The values of `{service}` in names. */
export const services =
  "Accounts Alerts Audit Booking Calendar Catalog Chat Checkout Contacts Delivery Documents Events Fraud Images Import Inventory Ledger Loyalty Mailing Maps Media Onboarding Orders Pricing Quotes Ranking Receipts Refunds Returns Reviews Routing Search Shipping Signup Stock Tickets Translation Upload Wallet Warehouse".split(
    " ",
  );
/** Teams of customers, in the free-form data of keys. */
export const teams = ["platform", "backend", "data", "mobile", "support"];
/** The second word of a company's name; the first one is a family name or a city. */
export const sectors =
  "Analytics Bank Bikes Capital Energy Foods Freight Games Health Insurance Labs Logistics Media Mobility Payments Retail Robotics Software Studio Travel".split(
    " ",
  );
