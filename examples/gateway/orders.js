import { Hono } from "hono";

/** Whose key it was, as the gateway says. Clients cannot: it takes this header away from requests. */
function principalOf(context) {
  const header = context.req.header("X-Unkey-Principal");
  // A header has bytes, and the text is UTF-8.
  return header && JSON.parse(Buffer.from(header, "latin1").toString());
}

export const app = new Hono();

app.get("/orders", (context) => {
  const principal = principalOf(context);
  if (principal === undefined) return context.json({ error: "who are you?" }, 401);
  const { identity, subject } = principal;
  return context.json({ customer: subject, plan: identity?.meta.plan ?? "free" });
});
