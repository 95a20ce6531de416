import { Unkey } from "@unkey/api";
import { expect, test } from "vitest";
import { Unkey as Unkey2 } from "unkey-api-2";
import { overHttp } from "../_reach.ts";

test("the error of the public client 0.38 names an operation that is not served", async () => {
  const { emulator, url } = await overHttp();
  const retry = { attempts: 1, backoff: () => 1 };
  const unkey = new Unkey({ rootKey: "root", baseUrl: url, retry });

  const { result, error } = await unkey.identities.create({ externalId: "ann" });

  expect(result).toBeUndefined();
  expect(error).toMatchObject({
    code: "NOT_FOUND",
    message: expect.stringContaining(
      "latchkey does not serve identities.createIdentity of v1; in v2 it is POST /v2/identities.createIdentity.",
    ),
  });
  expect(emulator.requests.list({ status: 404 })[0]).toMatchObject({
    method: "POST",
    path: "/v1/identities.createIdentity",
    status: 404,
  });
});

test("the error of the public client 2.5.1 names an operation that is not served", async () => {
  const named = "projects.getProject of v2; it serves POST /v2/keys.createKey, POST /v2/";
  const { emulator, url } = await overHttp();
  const unkey = new Unkey2({ rootKey: "root", serverURL: url });
  const error: unknown = await unkey.projects
    .getProject({ project: "shop" })
    .catch((reason: unknown) => reason);

  expect(error).toMatchObject({
    name: "NotFoundErrorResponse",
    statusCode: 404,
    message: expect.stringContaining(`latchkey does not serve ${named}`),
    error: { title: "Not Found", detail: expect.stringContaining(named) },
    meta: { requestId: expect.stringMatching(/^req_/) },
  });
  expect(emulator.requests.list()).toMatchObject([
    { path: "/v2/projects.getProject", status: 404 },
  ]);
});
