import fc from "fast-check";
import { expect, test } from "vitest";
import { base64url, createKey, givenEmulator, listAll, listKeys } from "../_emulator.ts";

const OWNERS = ["ann", "bob", undefined] as const;
const owner = fc.constantFrom(...OWNERS);

test("paging while keys are created returns every key of the start, and none twice", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ owner, api: fc.constantFrom("api_one", "api_vault") }), {
        maxLength: 120,
      }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
      fc.array(fc.array(owner, { maxLength: 4 }), { maxLength: 20 }),
      fc.constantFrom({}, { externalId: "ann" }, { ownerId: "bob" }, { externalId: "nobody" }),
      async (seeds, limits, creates, filter: { externalId?: string; ownerId?: string }) => {
        const emulator = await givenEmulator();
        /** The keys of api_one, in the order of creation. */
        const model: { id: string; owner: string | undefined }[] = [];
        const create = async (apiId: string, externalId: string | undefined) => {
          const { body } = await createKey(emulator, { apiId, externalId });
          if (apiId === "api_one") model.push({ id: body.keyId, owner: externalId });
        };
        const matches = (key: { owner: string | undefined }) =>
          Object.values(filter).every((wanted) => key.owner === wanted);
        for (const seed of seeds) await create(seed.api, seed.owner);
        const atStart = model.filter(matches).map(({ id }) => id);

        const walked: string[] = [];
        let cursor: string | undefined = "";
        for (let page = 0; cursor !== undefined; page += 1) {
          const limit = limits[page % limits.length] ?? 1;
          const { status, body } = await listKeys(emulator, {
            apiId: "api_one",
            limit,
            cursor,
            ...filter,
          });
          expect(status).toBe(200);
          expect(body.total).toBe(model.length);
          expect(body.keys.length).toBeLessThanOrEqual(limit);
          walked.push(...body.keys.map(({ id }: { id: string }) => id));
          const left = model.filter(matches).filter(({ id }) => id > (walked.at(-1) ?? ""));
          expect(body.cursor === undefined).toBe(left.length === 0);
          cursor = body.cursor;
          for (const externalId of creates[page] ?? []) await create("api_one", externalId);
        }

        expect(walked).toEqual(walked.toSorted());
        expect(new Set(walked).size).toBe(walked.length);
        expect(walked.slice(0, atStart.length)).toEqual(atStart);
      },
    ),
    { numRuns: 60 },
  );
});

test("500 keys that are created concurrently are all listed, each once", async () => {
  const emulator = await givenEmulator();

  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, index) =>
      createKey(emulator, {
        apiId: "api_one",
        name: `key ${index}`,
        externalId: `user_${index % 7}`,
      }),
    ),
  );

  const created = answers.map(({ body }) => body.keyId as string).toSorted();
  const listed = (await listAll(emulator, { apiId: "api_one" })).map(({ id }) => id);
  expect(new Set(created).size).toBe(500);
  expect(listed).toEqual(created);
  expect(emulator.identities.count()).toBe(7);
});

test("a random cursor is answered with a page or with 400", async () => {
  const emulator = await givenEmulator();
  await createKey(emulator, { apiId: "api_one" });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.string(), fc.base64String(), fc.string({ unit: "binary" })),
      async (text) => {
        const encoded = base64url(JSON.stringify({ key: text }));
        for (const cursor of [text, encoded]) {
          const { status } = await listKeys(emulator, { apiId: "api_one", cursor });
          expect([200, 400]).toContain(status);
        }
      },
    ),
  );
});
