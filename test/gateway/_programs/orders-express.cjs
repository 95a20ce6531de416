// A program with Express that reads the principal. The first argument is the folder of Express.
const express = require(process.argv[2]);

const app = express();
app.get("/orders", (request, response) => {
  const header = request.get("X-Unkey-Principal");
  if (header === undefined) return response.status(401).json({ error: "who are you?" });
  const { subject, identity } = JSON.parse(Buffer.from(header, "latin1").toString());
  response.json({ customer: subject, plan: identity?.meta.plan ?? "free" });
});
const server = app.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
