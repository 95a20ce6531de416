import { expect, test } from "vitest";
import * as z from "zod";
import {
  createEmulator,
  defineOperation,
  type Operation,
  type UsageError,
} from "../../src/index.ts";
import { operationsOf } from "../../src/service/operations/table.ts";
import { deleteIdentity, getIdentity } from "../_own-operations.ts";

const { contract } = deleteIdentity;
const refusal = (operation: unknown) =>
  createEmulator({ operations: [operation as Operation] }).then(
    () => [],
    (error: UsageError) => error.problems,
  );

test.each([
  [
    { ...contract, name: "deleteIdentity" },
    'contract.name: expected a name like "keys.deleteKey", got "deleteIdentity"',
  ],
  [{ ...contract, method: "DELETE" }, 'contract.method: expected "GET" or "POST", got "DELETE"'],
  [{ ...contract, input: z.string() }, "contract.input: expected the schema of an object"],
  [{ ...contract, output: {} }, "contract.output: expected a schema, made with zod 4"],
  [{ ...contract, errors: ["GONE"] }, "contract.errors[0]: expected"],
  [{ ...contract, sumary: "" }, 'contract.sumary: unknown member, did you mean "summary"?'],
])("a wrong contract is refused with the path to the wrong member: case %#", async (odd, line) => {
  const [problem] = await refusal({ ...deleteIdentity, contract: odd });

  expect(problem).toContain(`options: operations[0].${line}`);
});

test.each([
  "v1/x",
  "/v1/x?y",
  "/v1/ünï",
  "/v1/{id}",
  "/v1/../x",
  "/v1/a b",
  "/v1/keys/:id",
  "/",
  "",
  7,
])("the contract path %j is refused, because no request can have it", async (path) => {
  const [problem] = await refusal({ ...deleteIdentity, contract: { ...contract, path } });

  expect(problem).toContain("contract.path: expected a path as it stands in a URL");
});

test("an operation without run is refused", async () => {
  expect(await refusal({ ...deleteIdentity, run: undefined })).toEqual([
    "options: operations[0].run: expected a function that runs the operation, got nothing",
  ]);
  expect(await refusal(null)).toEqual(["options: operations[0]: expected an object, got null"]);
});

test("an operation with a name or path that another own operation has is refused", async () => {
  const again = defineOperation({
    ...getIdentity,
    contract: { ...getIdentity.contract, name: "identities.get" },
  });
  const namesake = defineOperation({
    ...getIdentity,
    contract: { ...getIdentity.contract, path: "/v1/identities.get" },
  });
  const problems = await createEmulator({ operations: [getIdentity, again, namesake] }).catch(
    (error: UsageError) => error.problems,
  );

  expect(problems).toEqual([
    'options: operations[1].contract.path: duplicate of the path of identities.getIdentity: "/v1/identities.getIdentity"',
    'options: operations[2].contract.name: duplicate of the name of operations[0]: "identities.getIdentity"',
  ]);
});

test("an operation at the path of a built-in operation is refused", async () => {
  const path = "/v2/keys.createKey";
  const other = defineOperation({ ...getIdentity, contract: { ...getIdentity.contract, path } });

  expect(await refusal(other)).toEqual([
    'options: operations[0].contract.path: duplicate of the path of keys.createKey: "/v2/keys.createKey"',
  ]);
});

test("an operation with the name and version of a built-in operation replaces it", async () => {
  const own = defineOperation({
    contract: { ...getIdentity.contract, name: "keys.createKey", path: "/v1/keys.createKey" },
    run: () => ({ keyId: "mine" }),
  });
  const emulator = await createEmulator({ operations: [own] });
  const served = emulator.operations.map(({ contract }) => contract.path);

  expect(served.toSorted()).toEqual(
    operationsOf()
      .map(({ contract }) => contract.path)
      .toSorted(),
  );
  expect(emulator.operations.at(-1)?.contract).toEqual({ ...own.contract, version: "v1" });
});

test("an operation whose version contradicts its path is refused", async () => {
  const misplaced = defineOperation({ ...getIdentity, version: "v2" });

  expect(await refusal(misplaced)).toEqual([
    'options: operations[0].contract.version: expected v1, as in the path, got "v2"',
  ]);
});
