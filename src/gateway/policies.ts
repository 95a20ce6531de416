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
const nameOf = (what: string) => ({
  name: f.described(f.filledText(), `The name of the ${what}.`),
});

const textMatch = lazily(() =>
  f.described(
    oneOf(
      {
        exact: f.described(f.text(), "The whole text."),
        prefix: f.described(f.text(), "The beginning of the text."),
        regex: f.described(
          parsed("a regular expression", toRegExp),
          "A regular expression that both JavaScript and RE2 support, without lookaround. Flags are possible at its beginning only. It matches anywhere in the text.",
        ),
      },
      {
        ignoreCase: f.optional(
          f.flag(),
          "Whether upper and lower case are the same. Default: false.",
        ),
      },
    ),
    {
      id: "TextMatch",
      description: "At most one of `exact`, `prefix` and `regex`. Without one, every text matches.",
    },
  ),
);
export type TextMatch = z.input<ReturnType<typeof textMatch>>;

const match = lazily(() => {
  const ofName = (what: string) =>
    oneOf(
      {
        present: f.described(
          f.flag(),
          `Whether the request has the ${what}. Default, without \`value\`: true.`,
        ),
        value: textMatch(),
      },
      nameOf(what),
    );
  return f.described(
    oneOf(
      {
        path: f.described(
          f.objectOf({ path: z.optional(textMatch()) }),
          "The path of the request, decoded, without the query.",
        ),
        method: f.described(
          f.objectOf({
            methods: f.optional(f.listOf(f.text(), "methods"), "In any case. Empty: every method."),
          }),
          "The method is one of these.",
        ),
        header: f.described(ofName("header"), "A header. One of several values has to match."),
        queryParam: f.described(
          ofName("parameter"),
          "A parameter of the query. One of several values has to match.",
        ),
      },
      {},
    ),
    {
      id: "Match",
      description: "A condition with one member. `{}` matches no request.",
    },
  );
});
export type Match = z.input<ReturnType<typeof match>>;

const keyauth = lazily(() => {
  const location = oneOf(
    {
      bearer: f.described(nothing, "`Authorization: Bearer <key>`."),
      header: f.described(
        f.objectOf({
          ...nameOf("header"),
          stripPrefix: f.optional(
            f.text(),
            "The text before the key, in any case. A header without it has no key.",
          ),
        }),
        "A header.",
      ),
      queryParam: f.described(f.objectOf(nameOf("parameter")), "A parameter of the query."),
    },
    {},
  );
  const count = f.integer({ min: 0 });
  const limit = f.objectOf({
    ...nameOf("limit"),
    limit: f.optional(count, "With `duration`: a limit that the key need not have."),
    duration: f.optional(count, "With `limit`: the window (ms)."),
    cost: f.optional(count, "How many uses the request counts as. Default: 1."),
  });
  const query = parsed("a permission query", (text) => (text ? parsePermissionQuery(text) : {}));
  return f.described(
    f.objectOf({
      keySpaceIds: f.optional(
        f.listOf(f.filledText(), "ids of keyspaces"),
        "Keys of other keyspaces are refused, so an empty list allows no key. Default in code: every keyspace of the workspace. Default in a file: none.",
      ),
      locations: f.optional(
        f.listOf(location, "locations"),
        "Where the key may be. The first place that has one counts. Default: `bearer`.",
      ),
      permissionQuery: f.optional(
        query,
        "The permissions that the key needs, like `docs.read AND (a OR b)`.",
      ),
      credits: f.optional(
        f.integer({ min: 0 }),
        "How many uses of the key the request takes. Default: 1.",
      ),
      ratelimits: f.optional(
        f.listOf(limit, "rate limits"),
        "Limits of the key to check, in addition to those with `autoApply`.",
      ),
    }),
    { id: "Keyauth", description: "Lets in requests with a valid key." },
  );
});
export type Keyauth = z.input<ReturnType<typeof keyauth>>;

const ratelimit = lazily(() => {
  const source = f.described(
    oneOf(
      {
        remoteIp: f.described(nothing, "The address of the client."),
        header: f.described(f.objectOf(nameOf("header")), "The value of a header."),
        path: f.described(nothing, "The path of the request."),
        authenticatedSubject: f.described(nothing, "The `subject` of the principal."),
        principalField: f.described(
          f.objectOf({
            path: f.described(f.text(), "Names with dots, like `source.key.meta.org_id`."),
          }),
          "A text in the principal.",
        ),
      },
      {},
    ),
    { id: "IdentifierSource", description: "Where an identifier comes from: one of these." },
  );
  return f.described(
    f.objectOf({
      limit: f.described(f.integer({ min: 0 }), "How many requests are let in within the window."),
      windowMs: f.described(f.integer({ min: 1 }), "The window (ms)."),
      identifiers: f.optional(
        f.listOf(source, "sources of an identifier"),
        "Requests with the same values are counted together. A request with none of the values is refused.",
      ),
      identifier: f.optional(source, "The only source, in older files."),
    }),
    { id: "Ratelimit", description: "Limits requests, with or without a key." },
  );
});
export type Ratelimit = z.input<ReturnType<typeof ratelimit>>;

/** The policies of a route, in the order in which they run. */
export const policyList = lazily(() => {
  const kinds = {
    keyauth: keyauth(),
    ratelimit: ratelimit(),
    firewall: f.described(
      f.objectOf({
        action: f.optional(
          f.choice(["ACTION_DENY", "ACTION_UNSPECIFIED"]),
          "Only `ACTION_DENY` refuses.",
        ),
      }),
      "Refuses requests (403).",
    ),
    openapi: f.described(z.unknown(), "It has no effect here."),
    jwtauth: f.described(z.unknown(), "It has no effect here."),
    logging: f.described(z.unknown(), "It has no effect here."),
  };
  const others = {
    id: f.optional(
      f.filledText(),
      "Required in a file. Default in code: its place, like `policy_1`.",
    ),
    name: f.optional(f.text(), "For a person to read."),
    enabled: f.optional(
      f.flag(),
      "False: the policy is skipped. Default in code: true. Default in a file: false.",
    ),
    match: f.optional(
      f.listOf(match(), "expressions"),
      "The policy runs for requests that all of these match. Default: for every request.",
    ),
  };
  return f.listOf(oneOf(kinds, others, "exactly"), "policies");
});
/** A policy of the gateway, with exactly one of `keyauth`, `ratelimit`, `firewall` and the kinds without effect. */
export type PolicyInit = z.input<ReturnType<typeof policyList>>[number];
