import { expect, test } from "vitest";
import * as z from "zod";
import {
  createEmulator,
  defineOperation,
  type Operation,
  type UsageError,
} from "../../src/index.ts";
import { deleteKey, getKey } from "../_own-operations.ts";

const { contract } = deleteKey;
const refusal = (operation: unknown) =>
  createEmulator({ operations: [operation as Operation] }).then(
    () => [],
    (error: UsageError) => error.problems,
  );

test.each([
  [
    { ...contract, name: "deleteKey" },
    'contract.name: expected a name like "keys.deleteKey", got "deleteKey"',
  ],
  [{ ...contract, method: "DELETE" }, 'contract.method: expected "GET" or "POST", got "DELETE"'],
  [{ ...contract, input: z.string() }, "contract.input: expected the schema of an object"],
  [{ ...contract, output: {} }, "contract.output: expected a schema, made with zod 4"],
  [{ ...contract, errors: ["GONE"] }, "contract.errors[0]: expected"],
  [{ ...contract, sumary: "" }, 'contract.sumary: unknown member, did you mean "summary"?'],
])("a wrong contract is refused with the path to the wrong member: case %#", async (odd, line) => {
  const [problem] = await refusal({ ...deleteKey, contract: odd });

  expect(problem).toContain(`options: operations[0].${line}`);
});

test.each(["v1/x", "/v1/x?y", "/v1/ünï", "/v1/{id}", "/v1/../x", "/v1/a b", "/v1/keys/:id", "", 7])(
  "the contract path %j is refused, because no request can have it",
  async (path) => {
    const [problem] = await refusal({ ...deleteKey, contract: { ...contract, path } });

    expect(problem).toContain("contract.path: expected a path as it stands in a URL");
  },
);

test("an operation without run is refused", async () => {
  expect(await refusal({ ...deleteKey, run: undefined })).toEqual([
    "options: operations[0].run: expected a function that runs the operation, got nothing",
  ]);
  expect(await refusal(null)).toEqual(["options: operations[0]: expected an object, got null"]);
});

test("an operation with a name or path that another own operation has is refused", async () => {
  const again = defineOperation({ ...getKey, contract: { ...getKey.contract, name: "keys.get" } });
  const namesake = defineOperation({
    ...getKey,
    contract: { ...getKey.contract, path: "/v1/keys.get" },
  });
  const problems = await createEmulator({ operations: [getKey, again, namesake] }).catch(
    (error: UsageError) => error.problems,
  );

  expect(problems).toEqual([
    'options: operations[1].contract.path: expected a value that no other has (keys.getKey has it), got "/v1/keys.getKey"',
    'options: operations[2].contract.name: expected a value that no other has (keys.getKey has it), got "keys.getKey"',
  ]);
});

test("an operation at the path of a built-in operation is refused", async () => {
  const path = "/v2/keys.createKey";
  const other = defineOperation({ ...getKey, contract: { ...getKey.contract, path } });

  expect(await refusal(other)).toEqual([
    'options: operations[0].contract.path: expected a value that no other has (keys.createKey has it), got "/v2/keys.createKey"',
  ]);
});

test("an operation with the name and version of a built-in operation replaces it", async () => {
  const own = defineOperation({
    contract: { ...getKey.contract, name: "keys.createKey", path: "/v1/keys.createKey" },
    run: () => ({ keyId: "mine" }),
  });
  const emulator = await createEmulator({ operations: [own] });
  const served = emulator.operations.map(({ contract }) => contract.path);

  expect(served.toSorted()).toEqual([
    "/v1/apis.listKeys",
    "/v1/keys.createKey",
    "/v2/apis.listKeys",
    "/v2/keys.createKey",
  ]);
  expect(emulator.operations.at(-1)).toBe(own);
});

test("an operation whose version contradicts its path, or is not served, is refused", async () => {
  const misplaced = defineOperation({ ...getKey, version: "v2" });

  expect(await refusal(misplaced)).toEqual([
    'options: operations[0].contract.version: expected v1, as in the path, got "v2"',
  ]);
  await expect(createEmulator({ operations: [getKey], versions: ["v2"] })).rejects.toThrow(
    "options: operations[0].contract.version: expected v2, because no other version is served",
  );
});
