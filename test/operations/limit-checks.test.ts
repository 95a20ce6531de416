import { describe } from "vitest";
import { draftTo, mistakesBefore, own, withMembers, without, type Mistake } from "./_mistakes.ts";
import { testOrderOfChecks } from "./_order-of-checks.ts";

const INSUFFICIENT = "unkey/authorization/insufficient_permissions";
const use = { namespace: "one", identifier: "known", limit: 5, duration: 60_000 };

type Refused = readonly [status: number, label: string];
const NAMESPACE: Refused = [404, "unkey/data/ratelimit_namespace_not_found"];
const OVERRIDE: Refused = [404, "unkey/data/ratelimit_override_not_found"];
const GONE: Refused = [410, "unkey/data/ratelimit_namespace_gone"];
const FORBIDDEN: Refused = [403, INSUFFICIENT];
const NOT_FOUND: Refused = [404, "NOT_FOUND"];
const noRightTo = (action: string, refused: Refused): Mistake =>
  own(`no right to ${action}`, refused, `ratelimit.*.${action}`, without(`.${action}`));
const ofSchema = {
  names: "/properties/identifier/type",
  make: withMembers({ identifier: 7 }),
};
const excludes = {
  names: ["a deleted namespace", "a namespace of another workspace"],
  because: "a call names one namespace",
};
const unknown = (refused: Refused, names: string): Mistake =>
  own("an unknown namespace", refused, names, withMembers({ namespace: "nope" }), { excludes });
const ofAnother = (refused: Refused, names: string): Mistake =>
  own("a namespace of another workspace", refused, names, withMembers({ namespace: "rlns_two" }), {
    excludes,
  });
const deleted = (refused: Refused, names: string): Mistake =>
  own("a deleted namespace", refused, names, withMembers({ namespace: "gone" }));

describe("the order of checks", () => {
  testOrderOfChecks("v2", () => draftTo("/v2/ratelimit.limit", use, ["ratelimit.*.limit"]), [
    ...mistakesBefore("v2", ofSchema),
    unknown(FORBIDDEN, "ratelimit.*.create_namespace"),
    ofAnother(FORBIDDEN, "ratelimit.*.create_namespace"),
    deleted(GONE, "This namespace has been deleted"),
    noRightTo("limit", FORBIDDEN),
  ]);

  const { limit: _, duration: __, ...named } = use;
  const noOverride = own(
    "an unknown override",
    OVERRIDE,
    "This override does not exist.",
    withMembers({ identifier: "nobody" }),
    { excludes: { names: ["a member with a wrong value"], because: "a call has one identifier" } },
  );
  const operations = [
    ["setOverride", "set_override", use, FORBIDDEN, []],
    ["getOverride", "read_override", named, OVERRIDE, []],
    ["deleteOverride", "delete_override", named, FORBIDDEN, [noOverride]],
  ] as const;
  for (const [name, action, input, refused, others] of operations) {
    testOrderOfChecks(
      "v2",
      () => draftTo(`/v2/ratelimit.${name}`, input, [`ratelimit.*.${action}`]),
      [
        ...mistakesBefore("v2", ofSchema),
        unknown(NAMESPACE, '"nope"'),
        ofAnother(NAMESPACE, '"rlns_two"'),
        deleted(NAMESPACE, "rlns_gone `deleted: true`"),
        noRightTo(action, refused),
        ...others,
      ],
    );
  }
  const { namespace } = use;
  testOrderOfChecks(
    "v2",
    () => draftTo("/v2/ratelimit.listOverrides", { namespace }, ["ratelimit.*.read_override"]),
    [
      ...mistakesBefore("v2", {
        names: "/properties/limit/type",
        make: withMembers({ limit: "7" }),
      }),
      unknown(NAMESPACE, '"nope"'),
      ofAnother(NAMESPACE, '"rlns_two"'),
      noRightTo("read_override", FORBIDDEN),
    ],
  );

  testOrderOfChecks("v1", () => draftTo("/v1/ratelimits.limit", use, ["ratelimit.*.limit"]), [
    ...mistakesBefore("v1", {
      names: "identifier: expected a string",
      make: withMembers({ identifier: 7 }),
    }),
    unknown(NOT_FOUND, "namespace nope not found"),
    ofAnother(NOT_FOUND, "namespace rlns_two not found"),
    deleted(NOT_FOUND, "namespace gone not found"),
    noRightTo("limit", [403, "INSUFFICIENT_PERMISSIONS"]),
  ]);
});
