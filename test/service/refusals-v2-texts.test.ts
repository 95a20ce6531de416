import { expect, test } from "vitest";
import { givenEmulator, post } from "../_emulator.ts";
import { acceptingAll } from "../_v2.ts";
import { expectNothingLeft } from "./_refusals.ts";
import { refusals, worlds } from "./_texts-v2.ts";

// Clients show and compare the texts of v2, so each is sent letter for letter. Whatever latchkey can add,
// like existing records, is in the hint.

test.each(refusals)("$call is refused in the words of the service: row %#", async (row) => {
  const { call, detail, hint = null, input, status, token, type } = row;
  const emulator = await givenEmulator({ fixtures: worlds });

  const { headers } = await expectNothingLeft(emulator, { detail, status, type }, () =>
    post(emulator, `/v2/${call}`, input, acceptingAll({ token })),
  );

  expect(headers.get("x-latchkey-hint"), JSON.stringify(input).slice(0, 200)).toBe(hint);
});
