import { Hono } from "hono";

/** Whose key it was. Only the gateway sets this header: it removes the header of clients. */
function principalOf(context) {
  const header = context.req.header("X-Unkey-Principal");
  // The header has the bytes of a UTF-8 text.
  return header && JSON.parse(Buffer.from(header, "latin1").toString());
}

export const app = new Hono();

app.get("/orders", (context) => {
  const principal = principalOf(context);
  if (principal === undefined) return context.json({ error: "who are you?" }, 401);
  const { identity, subject } = principal;
  return context.json({ customer: subject, plan: identity?.meta.plan ?? "free" });
});
