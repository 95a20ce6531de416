import type * as z from "zod/mini";
import * as f from "../schema/fields.ts";
import type { Json } from "../schema/json-schema.ts";
import { Components, json, refusalHeaders, refusalOf } from "../api/openapi/answers.ts";
import {
  documentHead,
  type OpenApiDocument,
  toParameters,
  toRequestBody,
} from "../api/openapi/openapi.ts";
import { CONTROL_PATH } from "../service/request.ts";
import { version } from "../base/version.ts";
import { recordKinds } from "./record-kinds.ts";
import type { ControlRoute } from "./route.ts";
import { events } from "./route-schemas.ts";
import { controlRoutes } from "./routes.ts";

const refusal = f.component("ControlError", "The body of every error reply.", {
  error: f.described(
    f.objectOf({
      message: f.described(f.text(), "All problems as one text."),
      problems: f.described(
        f.listOf(f.text(), "lines"),
        "One line for each problem: where it is, what was expected, and what was found.",
      ),
    }),
    "Why the request was refused.",
  ),
});

/** The tags of the document. `paths` lists the first segments of the paths with this tag. */
const groups: Readonly<Record<string, { readonly about: string; readonly paths: string }>> = {
  emulator: { about: "The process itself.", paths: "health ready openapi.json operations.json" },
  state: { about: "Everything that the emulator holds.", paths: "reset workspace snapshot seed" },
  journal: {
    about: "The requests that clients sent, and their outcomes.",
    paths: "requests events",
  },
  faults: { about: "Errors, delays and broken connections on purpose.", paths: "faults" },
  records: {
    about: "The records of the workspace, to read them.",
    paths: recordKinds.map(({ name }) => name).join(" "),
  },
  clock: { about: "The emulator's time.", paths: "clock" },
};

/** The meaning of statuses with which only some routes refuse. */
const refusals: Readonly<Record<string, string>> = {
  404: "Not found.",
  408: "The time is up. The message says where the nearest request differs.",
  409: "The emulator was reset, restored or closed during the call.",
};

export function toControlDocument(): OpenApiDocument {
  const components = new Components();
  const error = json(components.describe(refusal, "output", "refusal"));
  const paths: Record<string, Json> = {};
  for (const route of controlRoutes) {
    const path = (paths[CONTROL_PATH + route.path] ??= {});
    path[route.method.toLowerCase()] = describeRoute(route, components, error);
  }
  return {
    ...documentHead({
      title: "latchkey control",
      version,
      description: "Controls a running latchkey: its state, faults, clock and journal.",
    }),
    servers: [{ url: "/" }],
    tags: Object.entries(groups).map(([name, { about }]) => ({ name, description: about })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description:
            "The control token, or a listed token with the permission `latchkey.control` or `*`. One with `latchkey.watch` may call the routes that only show. With `isolate`, a token that is not listed controls its own workspace. If no token is listed and there is no control token, any token works, and so does none.",
        },
      },
      headers: refusalHeaders,
      schemas: components.schemas,
    },
  };
}

function describeRoute(route: ControlRoute, components: Components, error: Json): Json {
  const { answers, body, description, isOpen, method, path, query, summary } = route;
  const words = path.split(/\W+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const operationId = method.toLowerCase() + words.join("");
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      description: "The id.",
      schema: { type: "string" },
    })),
    ...toParameters(components.describe(query, "input", `${operationId}.query`)),
  ];
  const responses: Record<string, Json> = {};
  for (const [status, schema] of Object.entries(answers)) {
    responses[status] =
      Number(status) >= 400
        ? refusalOf(Number(status), refusals[status] ?? "Refused.", error)
        : describeAnswer(components, schema, `${operationId}.${status}`);
  }
  if (body !== undefined) responses["413"] = refusalOf(413, "The body is too large.", error);
  if (!isOpen) {
    const forbidden =
      "The token may not use control routes, or the host, origin or address is not allowed.";
    responses["400"] = refusalOf(400, "The query or the body is invalid.", error);
    responses["401"] = refusalOf(401, "A token is missing or unknown.", error);
    responses["403"] = refusalOf(403, forbidden, error);
  }
  responses["default"] = refusalOf("default", "Any other error.", error);
  return {
    operationId,
    summary,
    description,
    tags: [tagOf(path)],
    // The `{}` makes the token optional: without listed tokens and a control token, none is needed.
    security: isOpen ? [] : [{ token: [] }, {}],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : toRequestBody(components.describe(body, "input", `${operationId}.body`))),
    responses,
  };
}

function tagOf(path: string): string {
  const [, first = ""] = path.split("/");
  const found = Object.entries(groups).find(([, group]) => group.paths.split(" ").includes(first));
  return found?.[0] ?? "emulator";
}

function describeAnswer(
  components: Components,
  schema: z.core.$ZodType | null,
  name: string,
): Json {
  if (schema === null) return { description: "Done." };
  const content = components.describe(schema as never, "output", name);
  return schema === events
    ? { description: "A stream of events.", content: { "text/event-stream": { schema: content } } }
    : { description: "Done.", content: json(content) };
}
