// With Jest, as with any command: `latchkey sweep -- jest` runs it again and again.
import { isLetIn, signUp } from "./sign-up.js";

const service = { url: process.env.LATCHKEY_URL, token: process.env.LATCHKEY_TOKEN };

test("who signs up is let in", async () => {
  const key = await signUp(service, "customer_1");

  expect(await isLetIn(service, key)).toBe(true);
}, 20_000);
