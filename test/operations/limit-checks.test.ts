import { describe } from "vitest";
import { draftTo, mistakesBefore, withMembers, without, type Mistake } from "./_mistakes.ts";
import { testOrderOfChecks } from "./_order-of-checks.ts";

const INSUFFICIENT = "unkey/authorization/insufficient_permissions";
const use = { namespace: "one", identifier: "known", limit: 5, duration: 60_000 };

type Refused = Pick<Mistake, "label" | "status">;
const NAMESPACE: Refused = { status: 404, label: "unkey/data/ratelimit_namespace_not_found" };
const OVERRIDE: Refused = { status: 404, label: "unkey/data/ratelimit_override_not_found" };
const GONE: Refused = { status: 410, label: "unkey/data/ratelimit_namespace_gone" };
const noRightTo = (action: string, refused: Refused): Mistake => ({
  ...refused,
  name: `no right to ${action}`,
  names: `ratelimit.*.${action}`,
  make: without(`.${action}`),
});
const ofSchema = {
  names: "/properties/identifier/type",
  make: withMembers({ identifier: 7 }),
};
const onlyOne = {
  names: ["a deleted namespace", "a namespace of another workspace"],
  because: "a call names one namespace",
};
const unknown = (refused: Refused, names: string, namespace = "nope"): Mistake => ({
  ...refused,
  name: namespace === "nope" ? "an unknown namespace" : "a namespace of another workspace",
  names,
  excludes: onlyOne,
  make: withMembers({ namespace }),
});
const deleted = (refused: Refused, names: string): Mistake => ({
  ...refused,
  name: "a deleted namespace",
  names,
  make: withMembers({ namespace: "gone" }),
});

describe("the order of checks", () => {
  testOrderOfChecks("v2", () => draftTo("/v2/ratelimit.limit", use, ["ratelimit.*.limit"]), [
    ...mistakesBefore("v2", ofSchema),
    unknown({ status: 403, label: INSUFFICIENT }, "ratelimit.*.create_namespace"),
    unknown({ status: 403, label: INSUFFICIENT }, "ratelimit.*.create_namespace", "rlns_two"),
    deleted(GONE, "This namespace has been deleted"),
    noRightTo("limit", { status: 403, label: INSUFFICIENT }),
  ]);

  const { limit: _, duration: __, ...named } = use;
  const noOverride: Mistake = {
    ...OVERRIDE,
    name: "an unknown override",
    names: "This override does not exist.",
    excludes: { names: ["a member with a wrong value"], because: "a call has one identifier" },
    make: withMembers({ identifier: "nobody" }),
  };
  const operations = [
    ["setOverride", "set_override", use, INSUFFICIENT, []],
    ["getOverride", "read_override", named, OVERRIDE.label, []],
    ["deleteOverride", "delete_override", named, INSUFFICIENT, [noOverride]],
  ] as const;
  for (const [name, action, input, label, own] of operations) {
    testOrderOfChecks(
      "v2",
      () => draftTo(`/v2/ratelimit.${name}`, input, [`ratelimit.*.${action}`]),
      [
        ...mistakesBefore("v2", ofSchema),
        unknown(NAMESPACE, '"nope"'),
        unknown(NAMESPACE, '"rlns_two"', "rlns_two"),
        deleted(NAMESPACE, "rlns_gone `deleted: true`"),
        noRightTo(action, { status: label === INSUFFICIENT ? 403 : 404, label }),
        ...own,
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
      unknown(NAMESPACE, '"rlns_two"', "rlns_two"),
      noRightTo("read_override", { status: 403, label: INSUFFICIENT }),
    ],
  );

  testOrderOfChecks("v1", () => draftTo("/v1/ratelimits.limit", use, ["ratelimit.*.limit"]), [
    ...mistakesBefore("v1", {
      names: "identifier: expected a string",
      make: withMembers({ identifier: 7 }),
    }),
    unknown({ status: 404, label: "NOT_FOUND" }, "namespace nope not found"),
    unknown({ status: 404, label: "NOT_FOUND" }, "namespace rlns_two not found", "rlns_two"),
    deleted({ status: 404, label: "NOT_FOUND" }, "namespace gone not found"),
    noRightTo("limit", { status: 403, label: "INSUFFICIENT_PERMISSIONS" }),
  ]);
});
