// emulate: emulators of other services. The closest match to a list of keys with pages is the users of
// its Clerk service; the members of a key are in their public metadata.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const type = { "Content-Type": "application/json" };

export const emulate = {
  name: "emulate",
  spec: "0.9",
  bin: "dist/index.js",
  note: "users of its Clerk service, with the rest of a key as their metadata; lists by offset; many tokens, because it lets each do 5,000 requests an hour",

  /** @returns the arguments that serve these records */
  prepare(folder, records) {
    const file = join(folder, `emulate-${records.length}.json`);
    const users = records.map(({ id, name, ...rest }, index) => ({
      clerk_id: id,
      first_name: name,
      last_name: null,
      email_addresses: [`user_${index}@company.example`],
      public_metadata: rest,
    }));
    writeFileSync(file, JSON.stringify({ clerk: { users } }));
    return (port) => ["start", "--service", "clerk", "--port", String(port), "--seed", file];
  },

  pages(limit, records) {
    return Array.from({ length: Math.ceil(records.length / limit) }, (_, page) => ({
      path: `/v1/users?limit=${limit}&offset=${page * limit}`,
      headers: authorization(page),
    }));
  },

  create({ name, ...rest }, index) {
    const body = { first_name: name, email_address: [`new_${index}@company.example`] };
    return {
      method: "POST",
      path: "/v1/users",
      headers: { ...authorization(index), ...type },
      body: JSON.stringify({ ...body, public_metadata: rest }),
    };
  },
};

/** It accepts any token as that of its first user. */
function authorization(index) {
  return { Authorization: `Bearer sk_test_${index}` };
}
