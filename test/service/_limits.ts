import type { Fixture } from "../../src/index.ts";
import { NOW, post, type Answer, type CallOptions, type Door } from "../_emulator.ts";
import { acceptingAll } from "../_v2.ts";

// Calls of the operations on rate limits that belong to no key, and the world that they are sent to.

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const DAY = 1_440 * MINUTE;

/** POST an operation of the group `ratelimit` of v2. */
export function ratelimit(
  door: Door,
  operation: string,
  body: unknown,
  options?: CallOptions,
): Promise<Answer> {
  return post(door, `/v2/ratelimit.${operation}`, body, acceptingAll(options));
}

/** POST ratelimits.limit of v1. */
export function limitV1(door: Door, body: unknown, options?: CallOptions): Promise<Answer> {
  return post(door, "/v1/ratelimits.limit", body, options);
}

/** A use in the namespace `email`, of which ten are allowed in a minute. */
export const use = { namespace: "email", identifier: "user_1", limit: 10, duration: MINUTE };

/** The answer of v2 to it. */
export const result = (members: object) => ({
  limit: 10,
  remaining: 9,
  reset: NOW + MINUTE,
  success: true,
  ...members,
});

/** Each has a right for every namespace, and a name after it. */
const rights = [
  "limit",
  "create_namespace",
  "set_override",
  "read_override",
  "delete_override",
].map((action) => ({ token: action, permissions: [`ratelimit.*.${action}`] }));

/** Tokens with single rights, namespaces with overrides, a deleted one, and a second workspace. */
export const worlds: Fixture[] = [
  {
    workspace: { id: "ws_test" },
    tokens: [
      { token: "root", permissions: ["*"] },
      { token: "none", permissions: [] },
      ...rights,
      {
        token: "maker",
        permissions: ["ratelimit.*.limit", "ratelimit.*.create_namespace"],
      },
      {
        token: "both",
        permissions: ["ratelimit.rlns_email.limit", "ratelimit.rlns_sms.limit"],
      },
      {
        token: "email",
        permissions: ["limit", "set_override", "read_override", "delete_override"].map(
          (action) => `ratelimit.rlns_email.${action}`,
        ),
      },
      { token: "gone", permissions: ["ratelimit.rlns_gone.limit"] },
      { token: "by name", permissions: ["ratelimit.email.limit"] },
    ].map(({ token, ...rest }) => ({ token: token.replace(" ", "_"), ...rest })),
    apis: [{ id: "api_one" }],
    ratelimitNamespaces: [
      {
        id: "rlns_email",
        name: "email",
        overrides: [
          { id: "rlor_vip", identifier: "vip", limit: 200, duration: 2 * MINUTE },
          { id: "rlor_trial", identifier: "trial_*", limit: 3, duration: MINUTE },
          { id: "rlor_banned", identifier: "banned", limit: 0, duration: MINUTE },
        ],
      },
      { id: "rlns_sms", name: "sms" },
      {
        id: "rlns_gone",
        name: "gone",
        deleted: true,
        overrides: [{ id: "rlor_gone", identifier: "vip", limit: 1, duration: MINUTE }],
      },
    ],
  },
  {
    workspace: { id: "ws_other" },
    tokens: [{ token: "other", permissions: ["*"] }],
    ratelimitNamespaces: [
      {
        id: "rlns_other",
        name: "other",
        overrides: [{ identifier: "vip", limit: 1, duration: MINUTE }],
      },
    ],
  },
];
