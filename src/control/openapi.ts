import type * as z from "zod/mini";
import { docs, listOf, objectOf, text } from "../schema/fields.ts";
import type { Json } from "../schema/json-schema.ts";
import { json, refusalHeaders, refusalOf } from "../contract/openapi-answers.ts";
import {
  Components,
  documentHead,
  toParameters,
  type OpenApiDocument,
} from "../contract/openapi.ts";
import type { ControlRoute } from "./route.ts";
import { controlRoutes } from "./routes.ts";

/** What a control route refuses with. */
const refusal = objectOf({
  error: objectOf({
    message: text().register(docs, { description: "All that is wrong." }),
    problems: listOf(text(), "lines").register(docs, {
      description: "A line for each thing that is wrong: where, what was expected, what was found.",
    }),
  }).register(docs, { description: "What it is refused for." }),
}).register(docs, { id: "ControlError", description: "The body of every refusal." });

/** What the routes are grouped by, and the first parts of their paths. */
const groups: Readonly<Record<string, { readonly about: string; readonly of: string }>> = {
  emulator: { about: "The process itself.", of: "health ready openapi.json operations.json" },
  state: { about: "All that it holds.", of: "reset workspace snapshot seed" },
  journal: { about: "What was asked, and how it ended.", of: "requests events" },
  faults: { about: "What goes wrong on purpose.", of: "faults" },
  clock: { about: "The emulator's time.", of: "clock" },
};

/** The OpenAPI 3.1 document of the control routes, which stand behind this prefix. */
export function toControlDocument(prefix: string, version: string): OpenApiDocument {
  const components = new Components();
  const error = json(components.describe(refusal, "output", "refusal"));
  const paths: Record<string, Json> = {};
  for (const route of controlRoutes) {
    const path = prefix + route.path;
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: describe(route, components, error),
    };
  }
  return {
    ...documentHead({
      title: "latchkey control",
      version,
      description: "What steers a running latchkey: its state, faults, clock and journal.",
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
            "The control token, or a listed token with the permission `latchkey.control` or `*`. With `isolate`, a token that is not listed steers its own workspace. Where no token is listed and there is no control token, any token will do, or none.",
        },
      },
      headers: refusalHeaders,
      schemas: components.schemas,
    },
  };
}

function describe(route: ControlRoute, components: Components, error: Json): Json {
  const { answers, body, description, isOpen, isStream, method, path, query, summary } = route;
  const words = path.split(/\W+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const operationId = method.toLowerCase() + words.join("");
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      description: "Which one.",
      schema: { type: "string" },
    })),
    ...toParameters(components.describe(query, "input", `${operationId}.query`)),
  ];
  return {
    operationId,
    summary,
    description,
    tags: [tagOf(path)],
    // Where no token is listed and there is no control token, none is needed.
    security: isOpen ? [] : [{ token: [] }, {}],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: json(components.describe(body, "input", `${operationId}.body`)),
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, schema]) => [
          status,
          Number(status) >= 400 && schema === null
            ? refusalOf(Number(status), "There is none.", error)
            : describeAnswer(components, schema, `${operationId}.${status}`, isStream),
        ]),
      ),
      ...(body === undefined ? {} : { "413": refusalOf(413, "The body is too large.", error) }),
      ...(isOpen
        ? {}
        : {
            "400": refusalOf(400, "What was sent is wrong.", error),
            "401": refusalOf(401, "A token that may steer is needed.", error),
            "403": refusalOf(
              403,
              "The token may not steer; or the host, the origin or the address is a foreign one.",
              error,
            ),
          }),
      default: refusalOf("default", "Any other refusal.", error),
    },
  };
}

function tagOf(path: string): string {
  const [, first = ""] = path.split("/");
  const found = Object.entries(groups).find(([, { of }]) => of.split(" ").includes(first));
  return found?.[0] ?? "emulator";
}

function describeAnswer(
  components: Components,
  schema: z.core.$ZodType | null,
  name: string,
  isStream: boolean,
): Json {
  if (schema === null) return { description: "Done." };
  const told = components.describe(schema as never, "output", name);
  if (isStream) {
    return { description: "They go on.", content: { "text/event-stream": { schema: told } } };
  }
  return { description: name.endsWith(".503") ? "Not yet." : "Done.", content: json(told) };
}
