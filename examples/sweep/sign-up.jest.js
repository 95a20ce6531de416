// For Jest, as for any command: `latchkey sweep -- jest` runs this test again and again.
import { isLetIn, signUp } from "./sign-up.js";

const service = { url: process.env.LATCHKEY_URL, token: process.env.LATCHKEY_TOKEN };

test("a customer who signs up is let in", async () => {
  const key = await signUp(service, "customer_1");

  expect(await isLetIn(service, key)).toBe(true);
}, 20_000);
