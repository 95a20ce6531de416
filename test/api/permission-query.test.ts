import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isGranted,
  parsePermissionQuery,
  readPermissionObject,
  type PermissionQuery,
} from "../../src/api/permission-query.ts";
import { codePoint } from "../_code-point.ts";

const [a, b, c] = ["a", "b", "c"].map((name) => ({ name })) as [Name, Name, Name];
type Name = { readonly name: string };

function granted(text: string, ...permissions: string[]): boolean {
  const query = parsePermissionQuery(text);
  if ("problem" in query) throw new Error(query.problem);
  return isGranted(query, new Set(permissions));
}

describe("v2", () => {
  test.each<[text: string, query: PermissionQuery]>([
    ["a", a],
    ["a AND b", { and: [a, b] }],
    ["a OR b", { or: [a, b] }],
    ["a AND b AND c", { and: [a, b, c] }],
    ["a OR b AND c", { or: [a, { and: [b, c] }] }],
    ["a AND b OR c", { or: [{ and: [a, b] }, c] }],
    ["(a OR b) AND c", { and: [{ or: [a, b] }, c] }],
    ["a AND (b OR c)", { and: [a, { or: [b, c] }] }],
    ["((a))", a],
    ["(a)AND(b)", { and: [a, b] }],
    ["a and b Or c", { or: [{ and: [a, b] }, c] }],
    ["\ta\nAND\r\n b ", { and: [a, b] }],
    ["ANDROID or ORACLE", { or: [{ name: "ANDROID" }, { name: "ORACLE" }] }],
    ["and.x AND or-y", { and: [{ name: "and.x" }, { name: "or-y" }] }],
    ["a.B_9-x:*/y", { name: "a.B_9-x:*/y" }],
  ])("%j is read as a permission query of v2", (text, query) => {
    expect(parsePermissionQuery(text)).toEqual(query);
  });

  test("a permission query of v2 is satisfied by the names that it needs", () => {
    expect(granted("a AND (b OR c)", "a", "c")).toBe(true);
    expect(granted("a AND (b OR c)", "a")).toBe(false);
    expect(granted("a AND (b OR c)", "b", "c")).toBe(false);
    expect(granted("a OR b AND c", "a")).toBe(true);
    expect(granted("a OR b AND c", "b")).toBe(false);
  });

  test("a permission query of v2 takes * literally", () => {
    expect(granted("api.* OR api.edit", "api.*")).toBe(true);
    expect(granted("api.*", "api.edit")).toBe(false);
    expect(granted("api.edit", "api.*")).toBe(false);
    expect(granted("api.edit", "*")).toBe(false);
  });

  const operand = "Expected a permission identifier or opening parenthesis.";
  const extra = "The query appears to have extra content after a valid expression.";
  const closing = "Every opening parenthesis must have a matching closing parenthesis.";
  const empty = "Parentheses must contain at least one permission or expression.";
  const blank = "Unexpected end of input. Please provide a valid permission query.";

  test.each([
    ["a AND", `Unexpected end of query. ${operand}`],
    ["permission_1 AND", `Unexpected end of query. ${operand}`],
    ["(", `Unexpected end of query. ${operand}`],
    ["AND a", `Unexpected token 'AND' at position 0. ${operand}`],
    ["and a", `Unexpected token 'and' at position 0. ${operand}`],
    ["a OR OR b", `Unexpected token 'OR' at position 5. ${operand}`],
    [")", `Unexpected token ')' at position 0. ${operand}`],
    ["(AND a)", `Unexpected token 'AND' at position 1. ${operand}`],
    ["(a AND )", `Unexpected token ')' at position 7. ${operand}`],
    [
      "(permission_1 AND permission_2",
      `Missing closing parenthesis ')' at position 30. ${closing}`,
    ],
    ["(a b)", `Missing closing parenthesis ')' at position 3. ${closing}`],
    ["(a $)", `Missing closing parenthesis ')' at position 3. ${closing}`],
    ["(a  ", `Missing closing parenthesis ')' at position 4. ${closing}`],
    ["permission_1 AND ()", `Empty parentheses found at position 18. ${empty}`],
    ["(  )", `Empty parentheses found at position 3. ${empty}`],
    [" \t\r\n ", blank],
    ["", blank],
    ["a b", `Unexpected token 'b' at position 2. ${extra}`],
    ["a)", `Unexpected token ')' at position 1. ${extra}`],
    ["a (b)", `Unexpected token '(' at position 2. ${extra}`],
    ["$a", ""],
    ["a AND $", ""],
    ["($)", ""],
    [
      "a $",
      `Unexpected token 'invalid character '$' at position 2 in query' at position 2. ${extra}`,
    ],
    [
      "a\fb",
      `Unexpected token 'invalid character '\f' at position 1 in query' at position 1. ${extra}`,
    ],
  ])("the permission query %j of v2 is refused with the text of the service", (text, problem) => {
    expect(parsePermissionQuery(text)).toEqual({ problem });
  });

  test("a permission query of v2 is read as bytes, and its refusals count positions in bytes", () => {
    // The bytes of ú are the codes of à and º, which are letters. Those of é are à and ©.
    expect(parsePermissionQuery("ú")).toEqual({ name: "ú" });
    expect(parsePermissionQuery("ú b")).toEqual({
      problem: `Unexpected token 'b' at position 3. ${extra}`,
    });
    expect(parsePermissionQuery("é")).toEqual({
      problem: `Unexpected token 'invalid character '©' at position 1 in query' at position 1. ${extra}`,
    });
  });

  test("a permission query of v2 ends at a zero byte", () => {
    expect(parsePermissionQuery("a\0 $")).toEqual(a);
    expect(parsePermissionQuery("(a\0)")).toEqual({
      problem: `Missing closing parenthesis ')' at position 2. ${closing}`,
    });
  });

  test("a permission query of v2 can have any number of parentheses", () => {
    for (const depth of [499, 10_000]) {
      const text = `${"(".repeat(depth)}a${")".repeat(depth)}`;
      expect(parsePermissionQuery(text)).toEqual(a);
    }
    expect(parsePermissionQuery("(".repeat(1_000))).toEqual({
      problem: `Unexpected end of query. ${operand}`,
    });
  });
});

test("a permission query of v2 is refused exactly if it does not follow the grammar", () => {
  const token = fc.constantFrom("a", "a", "AND", "or", "(", ")", "$");
  fc.assert(
    fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
      const isRefused = "problem" in parsePermissionQuery(tokens.join(" "));

      expect(isRefused).toBe(!followsGrammar(tokens));
    }),
    { numRuns: 1_500 },
  );
});

/** Replaces expressions by a name until nothing changes. */
function followsGrammar(tokens: readonly string[]): boolean {
  let text = tokens.join("").replaceAll("AND", "&").replaceAll("or", "&");
  for (let before = ""; before !== text;) {
    before = text;
    text = text.replace("a&a", "a").replace("(a)", "a");
  }
  return text === "a";
}

test("any text is read as a permission query of v2, or refused", () => {
  const unit = fc.oneof(
    fc.constantFrom("a", "(", ")", " ", " AND ", " or ", "$", "\0", "é", "\u{1F600}"),
    codePoint,
    fc.constantFrom("\uD800", "\uDC00"),
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 100 }), (text) => {
      const query = parsePermissionQuery(text);

      if ("problem" in query) expect(query.problem).toBeTypeOf("string");
      else expect(isGranted(query, new Set(["a"]))).toBeTypeOf("boolean");
    }),
    { numRuns: 500 },
  );
});

describe("v1", () => {
  test.each<[value: unknown, query: PermissionQuery]>([
    ["a", a],
    ["a AND b", { name: "a AND b" }],
    [{ and: ["a"] }, { and: [a] }],
    [{ or: ["a", "b"] }, { or: [a, b] }],
    [{ and: ["a", { or: ["b", "c"] }] }, { and: [a, { or: [b, c] }] }],
    [{ and: ["a"], unknown: 1 }, { and: [a] }],
    [{ or: [""] }, { or: [{ name: "" }] }],
  ])("%j is read as a permission query of v1", (value, query) => {
    expect(readPermissionObject(value)).toEqual(query);
  });

  test.each([[null], [""], [0], [false], [undefined]])(
    "a permission query of v1 checks nothing if it is %j",
    (value) => {
      expect(readPermissionObject(value)).toBeUndefined();
    },
  );

  test.each([
    [{}],
    [[]],
    [["a"]],
    [7],
    [true],
    [{ and: [] }],
    [{ or: [] }],
    [{ and: [null] }],
    [{ and: "a" }],
    [{ or: ["a", 7] }],
    [{ or: ["a", { and: [{}] }] }],
    [{ and: [["a"]] }],
  ])("a permission query of v1 is invalid if it is %j", (value) => {
    expect(readPermissionObject(value)).toBe("invalid");
  });

  test("a permission query of v1 uses only `and` of an object that has `or` too", () => {
    expect(readPermissionObject({ or: ["b"], and: ["a"] })).toEqual({ and: [a] });
    expect(readPermissionObject({ and: ["a"], or: 7 })).toEqual({ and: [a] });
  });

  test("a permission query of v1 uses `or` of an object whose `and` is malformed", () => {
    expect(readPermissionObject({ and: [], or: ["b"] })).toEqual({ or: [b] });
  });

  test("a permission query of v1 skips an empty name in `and`, and grants nothing for one in `or`", () => {
    const and = readPermissionObject({ and: ["", "a"] }) as PermissionQuery;
    const or = readPermissionObject({ or: ["", "a"] }) as PermissionQuery;

    expect([isGranted(and, new Set(["a"])), isGranted(and, new Set())]).toEqual([true, false]);
    expect([isGranted(or, new Set(["a"])), isGranted(or, new Set())]).toEqual([true, false]);
  });

  test("a permission query of v1 can nest up to 100 objects", () => {
    expect(isGranted(readPermissionObject(nested(100)) as PermissionQuery, new Set(["a"]))).toBe(
      true,
    );
    expect(readPermissionObject(nested(101))).toBe("invalid");
    expect(readPermissionObject(nested(10_000))).toBe("invalid");
    expect(readPermissionObject({ or: [nested(100)] })).toBe("invalid");
  });

  test("any JSON is read as a permission query of v1, as no check, or as invalid", () => {
    const parts = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom("a", "", null, 7),
        fc.dictionary(fc.constantFrom("and", "or", "x"), fc.array(tie("value"), { maxLength: 3 })),
      ),
    }));
    fc.assert(
      fc.property(parts.value, (value) => {
        const query = readPermissionObject(value);

        if (query !== undefined && query !== "invalid") {
          expect(isGranted(query, new Set(["a"]))).toBeTypeOf("boolean");
        }
      }),
    );
  });
});

function nested(levels: number): unknown {
  let value: unknown = "a";
  for (let level = 0; level < levels; level += 1) value = { and: [value] };
  return value;
}
