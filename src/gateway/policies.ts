import * as z from "zod/mini";
import { parsePermissionQuery } from "../api/permission-query.ts";
import { isRecord } from "../base/json.ts";
import { lazily } from "../base/lazily.ts";
import { toRegExp } from "../base/re2.ts";
import * as f from "../schema/fields.ts";

/** An object with at most one, or exactly one, of the members `kinds`, and with `others`. */
function oneOf<Kinds extends z.core.$ZodShape, Others extends z.core.$ZodShape>(
  kinds: Kinds,
  others: Others,
  count: "at most" | "exactly" = "at most",
) {
  const names = Object.keys(kinds);
  const error = `expected ${count} one of ${names.join(", ")}`;
  const hasRightCount = (value: object) => {
    const given = names.filter((name) => Object.hasOwn(value, name)).length;
    return given === 1 || (given === 0 && count === "at most");
  };
  return z
    .extend(f.objectOf(others), z.partial(f.objectOf(kinds)).shape)
    .check(z.refine(hasRightCount, { error, when: ({ value }) => isRecord(value) }));
}

/** A text that `parse` accepts. Otherwise it returns the `problem`. */
function parsed(noun: string, parse: (text: string) => object) {
  return f.text().check(
    z.check<string>(({ issues, value: input }) => {
      const read = parse(input);
      const message = "problem" in read && `expected ${noun}: ${String(read.problem)}`;
      if (message) issues.push({ code: "custom", input, message });
    }),
  );
}

const nothing = f.objectOf({});
const named = { name: f.filledText() };

const textMatch = lazily(() =>
  oneOf(
    { exact: f.text(), prefix: f.text(), regex: parsed("a regular expression", toRegExp) },
    { ignoreCase: z.optional(f.flag()) },
  ),
);
export type TextMatch = z.input<ReturnType<typeof textMatch>>;

const match = lazily(() => {
  const ofName = oneOf({ present: f.flag(), value: textMatch() }, named);
  return oneOf(
    {
      path: f.objectOf({ path: z.optional(textMatch()) }),
      method: f.objectOf({ methods: z.optional(f.listOf(f.text(), "methods")) }),
      header: ofName,
      queryParam: ofName,
    },
    {},
  );
});
export type Match = z.input<ReturnType<typeof match>>;

const keyauth = lazily(() => {
  const locations = {
    bearer: nothing,
    header: f.objectOf({ ...named, stripPrefix: z.optional(f.text()) }),
    queryParam: f.objectOf(named),
  };
  const count = z.optional(f.integer({ min: 0 }));
  const limit = f.objectOf({ ...named, limit: count, duration: count, cost: count });
  const query = parsed("a permission query", (text) => (text ? parsePermissionQuery(text) : {}));
  return z.partial(
    f.objectOf({
      keySpaceIds: f.listOf(f.filledText(), "ids of keyspaces"),
      locations: f.listOf(oneOf(locations, {}), "locations"),
      permissionQuery: query,
      credits: f.integer({ min: 0 }),
      ratelimits: f.listOf(limit, "rate limits"),
    }),
  );
});
export type Keyauth = z.input<ReturnType<typeof keyauth>>;

const ratelimit = lazily(() => {
  const source = oneOf(
    {
      remoteIp: nothing,
      header: f.objectOf(named),
      path: nothing,
      authenticatedSubject: nothing,
      principalField: f.objectOf({ path: f.text() }),
    },
    {},
  );
  return f.objectOf({
    limit: f.integer({ min: 0 }),
    windowMs: f.integer({ min: 1 }),
    identifiers: z.optional(f.listOf(source, "sources of an identifier")),
    // Older files have this member.
    identifier: z.optional(source),
  });
});
export type Ratelimit = z.input<ReturnType<typeof ratelimit>>;

/** The policies of a route, in the order in which they run. */
export const policyList = lazily(() => {
  const kinds = {
    keyauth: keyauth(),
    ratelimit: ratelimit(),
    firewall: z.partial(f.objectOf({ action: f.choice(["ACTION_DENY", "ACTION_UNSPECIFIED"]) })),
    openapi: z.unknown(),
    jwtauth: z.unknown(),
    logging: z.unknown(),
  };
  const others = {
    id: z.optional(f.filledText()),
    name: z.optional(f.text()),
    enabled: z.optional(f.flag()),
    match: z.optional(f.listOf(match(), "expressions")),
  };
  return f.listOf(oneOf(kinds, others, "exactly"), "policies");
});
/** A policy of the gateway, with exactly one of `keyauth`, `ratelimit`, `firewall` and the kinds without effect. */
export type PolicyInit = z.input<ReturnType<typeof policyList>>[number];
