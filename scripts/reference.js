// Makes the pages of the reference, the list of everything that has a name, from tables and schemas in
// the code.
import { isDeepStrictEqual } from "node:util";
import { quirkVersions } from "./differences.js";
import { code, GENERATED, headingsOf, page, sentence, table } from "./markdown.js";
import { memberTable, numberOf } from "./schema-tables.js";

const PLACES = {
  Fault: "See [faults](#faults).",
  Fixture: "See [fixtures](#fixtures).",
};

const ONLY_FAULT = "Sent only because of a fault, or by an operation of your own.";

/** When each type of problem is sent in v2. */
const problemCauses = {
  "unkey/application/invalid_input":
    "The body does not fit the schema, is not JSON, or breaks a rule of the operation. Also: it has over 100,000 JSON values, or there is no header `Authorization`, or the body is compressed or has another content type than `application/json`.",
  "unkey/authentication/malformed": "The header `Authorization` is not `Bearer <token>`.",
  "user/bad_request/permissions_query_syntax_error":
    "`permissions` of `keys.verifyKey` does not parse.",
  "unkey/authentication/key_not_found": "The token is unknown.",
  "unkey/authorization/forbidden": "The token has expired.",
  "unkey/authorization/key_disabled": "The token is disabled.",
  "unkey/authorization/workspace_disabled": "The workspace of the token is disabled.",
  "unkey/authorization/insufficient_permissions":
    "The token lacks a permission that the call needs. `keys.createKey`, `apis.listKeys` and `keys.whoami` answer as if there was no such API or key instead, and send this type only for `decrypt`; `keys.verifyKey` answers 200 with the code `NOT_FOUND`.",
  "unkey/data/api_not_found":
    "The API does not exist, belongs to another workspace, or the token may not use it.",
  "unkey/data/key_not_found":
    "The key does not exist, belongs to another workspace, or its API was deleted. In `keys.whoami` also: the token may not read it.",
  "unkey/data/role_not_found":
    "`roles` names a role that does not exist, or `role` is no id or name of one.",
  "unkey/data/permission_not_found":
    "`keys.removePermissions` names a permission that does not exist, or `permission` is no id or slug of one.",
  "unkey/data/permission_already_exists": "The slug of a new permission is taken.",
  "unkey/data/role_already_exists": "The name of a new role is taken.",
  "unkey/data/identity_not_found":
    "The identity does not exist, was deleted or belongs to another workspace.",
  "unkey/data/identity_already_exists":
    "`identities.createIdentity` names an external id that an identity has.",
  "unkey/data/ratelimit_namespace_not_found":
    "The namespace does not exist, belongs to another workspace, or was deleted. `ratelimit.limit` and `multiLimit` make it instead.",
  "unkey/data/ratelimit_override_not_found":
    "The override does not exist. In `ratelimit.getOverride` also: the token may not read it.",
  "unkey/data/ratelimit_namespace_gone":
    "`ratelimit.limit` or `multiLimit` names a namespace that was deleted.",
  "unkey/application/precondition_failed":
    "A key is to be created in an API without a keyspace. Also: `recoverable` or `decrypt` is sent for an API that does not store encrypted keys, or a recoverable key of such an API is to be replaced. Also: `keys.verifyKey` names a rate limit that the key does not have.",
  "unkey/application/protected_resource": "The API is protected from being deleted.",
  "user/bad_request/request_body_too_large": "The body is over 10 MiB.",
  "unkey/application/unexpected_error":
    "The keys of an API without a keyspace are to be listed. Also sent because of a fault, or of a bug in latchkey.",
};

/** The texts of the pages, by file; `sources` are the exports of the modules that they are made from. */
export function referencePages(sources) {
  const { errorCodes, fixtureJsonSchema, problemTypes } = sources;
  const fixtures = { ...fixtureJsonSchema(), errorCodes, problemTypes };
  const pages = {
    "reference.md": [
      "# Reference",
      "This page lists the options of the command line, and the quirks. Other pages list the operations of [version 2](reference-v2.md) and [version 1](reference-v1.md) with their errors, the [control routes and faults](reference-control.md), the [fixtures and records](reference-fixtures.md), and the [policies of the gateway](reference-gateway.md).",
      commandLine(sources),
      quirkParts(sources),
    ],
    "reference-v2.md": [
      "# Operations of version 2",
      operationParts(sources, "v2"),
      problemParts(sources),
    ],
    "reference-v1.md": [
      "# Operations of version 1",
      "latchkey serves these operations of version 1. [Moving to v2](moving-to-v2.md) explains how a client leaves them.",
      operationParts(sources, "v1"),
      errorParts(sources),
    ],
    "reference-control.md": [
      "# Control routes and faults",
      controlParts(sources, fixtures),
      faultParts(fixtures),
    ],
    "reference-fixtures.md": [
      "# Fixtures and records",
      fixtureParts(fixtures),
      recordParts(sources),
    ],
    "reference-gateway.md": ["# Policies of the gateway", gatewayParts(sources)],
  };
  return linkPages(
    Object.fromEntries(
      Object.entries(pages).map(([file, parts]) => [file, page(GENERATED, parts)]),
    ),
  );
}

/** Adds the file to each link to a heading of another page. */
function linkPages(pages) {
  const headings = Object.entries(pages).map(([file, text]) => [file, new Set(headingsOf(text))]);
  const link = (own, heading) => {
    const [file] =
      headings.find(([name, slugs]) => name === own && slugs.has(heading)) ??
      headings.find(([, slugs]) => slugs.has(heading)) ??
      [];
    if (file === undefined) throw new Error(`${own}: no page has the heading ${heading}`);
    return `](${file === own ? "" : file}#${heading})`;
  };
  return Object.fromEntries(
    Object.entries(pages).map(([own, text]) => [
      own,
      text.replaceAll(/\]\(#([^)]*)\)/g, (_, heading) => link(own, heading)),
    ]),
  );
}

function commandLine(sources) {
  const {
    execOptions,
    generateOptions,
    generateVariables,
    checkOptions,
    openApiOptions,
    ownExecOptions,
    ownSiteOptions,
    ownSweepOptions,
    serveOptions,
    siteOptions,
    sweepOptions,
  } = sources;
  const { flagOf, variablesOf } = sources;
  const flags = (isShown) => {
    const shown = Object.entries(serveOptions).filter(([name]) => isShown(name));
    const named = shown.map(([name, option]) => code(`--${flagOf(name, option)}`));
    return new Intl.ListFormat("en").format(named);
  };
  const without = (table) => flags((name) => !(name in table));
  const only = (table) => flags((name) => name in table);
  const readsOf = (names) => (name) => (names.includes(name) ? variablesOf(name) : []);
  return [
    "## Command line",
    "A flag wins over an environment variable, and a variable wins over the configuration file. `--no-` before a flag that takes no value turns it off.",
    "The configuration file is `latchkey.config.json`, `.yaml` or `.yml`. It is read from the folder in which latchkey starts. Its members have the types of JSON. Its `port`, `state`, `watch`, `open`, `log` and `json` apply to `latchkey serve` only, and not to emulators that tests start.",
    "If a table names two variables, the first wins. Commas separate several values in a variable. The tokens to accept are not read from the environment. If `LATCHKEY_URL` is set, `LATCHKEY_CONTROL_TOKEN` is not read as an option: it then belongs to the emulator at that address, as in the command of `latchkey exec`.",
    "### latchkey serve",
    optionTable(serveOptions, variablesOf, sources),
    "The exit code is 0 after a signal, 1 if it cannot listen on the address or could not save the state, and 2 for a wrong option or fixture.",
    "### latchkey exec",
    `It takes the options of serve except ${without(execOptions)}. It also takes these:`,
    optionTable(ownExecOptions, () => [], { ...sources, isConfigured: false }),
    "Its exit code is that of the command after `--`.",
    "### latchkey sweep",
    `[The sweep](sweep.md) explains it. It takes the options of serve except ${without(sweepOptions)}. It also takes these:`,
    optionTable(ownSweepOptions, () => [], { ...sources, isConfigured: false }),
    "The exit code is 1 if a case is wrong, or if the command fails without a fault.",
    "### latchkey site",
    `[Demos](demos.md#without-a-server) explains it. Of the options of serve, it takes ${only(siteOptions)}. It also takes these:`,
    optionTable(ownSiteOptions, () => [], { ...sources, isConfigured: false }),
    "### latchkey generate",
    optionTable(generateOptions, readsOf(generateVariables), { ...sources, isConfigured: false }),
    "It prints on stderr how to make the same keys again.",
    "### latchkey openapi",
    optionTable(openApiOptions, () => [], { ...sources, isConfigured: false }),
    "### latchkey check",
    optionTable(checkOptions, () => [], { ...sources, isConfigured: false }),
    "The exit code is 1 if it finds a problem. `init` and `quirks` take no options.",
  ];
}

function optionTable(options, variablesOf, { isConfigured = true, ...sources }) {
  const { detailsOf, flagOf, kindOf, textOf, toJsonSchema } = sources;
  return table(
    ["option", "value", "meaning", "default", "environment", "configuration"],
    Object.entries(options).map(([name, option]) => {
      const { alias, config, default: fallback } = detailsOf(option);
      const schema = toJsonSchema(option, "input");
      return [
        [alias && code(`-${alias}`), code(`--${flagOf(name, option)}`)].filter(Boolean).join(", "),
        kindOf(option) === "list" ? "text, several" : optionValue(schema),
        sentence(textOf(option)),
        fallback ?? (schema.type === "boolean" ? "off" : "none"),
        variablesOf(name).map(code).join(", "),
        isConfigured && config !== false ? code(name) : "",
      ];
    }),
  );
}

function optionValue({ enum: choices, title, type, ...schema }) {
  if (title) return title;
  if (choices) return choices.map(code).join(", ");
  switch (type) {
    case "integer":
      return numberOf({ type, ...schema });
    case "boolean":
      return "";
    default:
      return "text";
  }
}

function operationParts({ operationsOf, toOpenApi }, version) {
  const contracts = operationsOf().map(({ contract }) => contract);
  const { components, paths } = toOpenApi(contracts, "", version);
  return callParts(components.schemas, callsIn(paths), version);
}

/** The calls, and behind them the records that several calls have, each once. */
function callParts(components, calls, version) {
  const answers = placesIn(
    calls.map(({ call }) => answerTo(call, components)),
    components,
  );
  const inputs = placesIn(
    calls.map(({ call }) => inputOf(call)),
    components,
  );
  const isShared = (name) => (answers.get(name) ?? 0) + (inputs.get(name) ?? 0) > 1;
  const shared = [...new Set([...inputs.keys(), ...answers.keys()])].filter(isShared);
  const context = { components, links: linksTo(shared) };
  return [
    "## Operations",
    shared.length === 0 ? "" : "[Records](#records) has what several operations take or answer.",
    version === "v2" ? "Every answer also has `meta.requestId`, the id of the request." : "",
    calls.map(({ call, method, path }) => [
      `### ${call.operationId} in ${version}`,
      `${code(`${method} ${path}`)}: ${sentence(call.summary)}`,
      call.description === call.summary ? "" : sentence(call.description),
      memberTable(inputOf(call), context),
      unknownMembers(inputOf(call), components),
      answerParts(answerTo(call, components), context),
    ]),
    shared.length === 0 ? "" : "## Records",
    shared.map((name) => [
      `### ${name}`,
      memberTable(components[name], { ...context, isAnswer: answers.has(name) }),
    ]),
  ];
}

function linksTo(names) {
  return Object.fromEntries(names.map((name) => [name, `See [${name}](#${name.toLowerCase()}).`]));
}

/** The answer to a call, without the `meta` that every answer of v2 has. */
function answerTo(call, components) {
  const body = bodyOf(call.responses["200"]);
  const { properties, required } = components[body.$ref?.split("/").at(-1)] ?? body;
  const own = Object.entries(properties).filter(([, { $ref }]) => !$ref?.endsWith("/Meta"));
  return { properties: Object.fromEntries(own), required };
}

function answerParts(answer, context) {
  const { data = {}, ...others } = answer.properties;
  const isEmpty = Object.keys(others).length === 0 && !data.items && !data.$ref;
  if (isEmpty && Object.keys(data.properties ?? {}).length === 0) {
    return data.properties ? "It answers 200 with an empty `data`." : "It answers 200.";
  }
  return ["It answers 200 with:", memberTable(answer, { ...context, isAnswer: true })];
}

/** How many places in the shapes refer to a component, by its name. */
function placesIn(shapes, components) {
  const places = new Map();
  const visit = (value) => {
    if (typeof value !== "object" || value === null) return;
    const name = value.$ref?.split("/").at(-1);
    if (name !== undefined) places.set(name, (places.get(name) ?? 0) + 1);
    if (places.get(name) === 1) visit(components[name]);
    Object.values(value).forEach(visit);
  };
  visit(shapes);
  return places;
}

/** What becomes of members that no table lists. */
function unknownMembers(input, components) {
  const open = openObjects(input, components, "");
  if (open.includes("")) return "Any other member is ignored, and refused with `--strict`.";
  const places = open.map(code).join(" and ");
  const exception = `; in ${places} it is ignored, and refused with \`--strict\``;
  return `Any other member is refused${open.length === 0 ? "" : exception}.`;
}

/** The paths of the objects in a schema that may have members that the schema does not name. */
function openObjects(schema, components, path) {
  const name = schema.$ref?.split("/").at(-1);
  const { additionalProperties, items, properties } = components[name] ?? schema;
  if (items) return openObjects(items, components, `${path}[]`);
  if (properties === undefined) return [];
  const within = Object.entries(properties).flatMap(([name, member]) =>
    openObjects(member, components, path === "" ? name : `${path}.${name}`),
  );
  return additionalProperties === false ? within : [path, ...within];
}

/** The calls of an OpenAPI document, in its order. */
function callsIn(paths) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ call, method: method.toUpperCase(), path })),
  );
}

/** The schema of the body, or one made from the query parameters. */
function inputOf({ parameters = [], requestBody }) {
  if (requestBody) return bodyOf(requestBody);
  return {
    properties: Object.fromEntries(
      parameters.map(({ deprecated, description, name, schema }) => [
        name,
        { ...schema, deprecated, description },
      ]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** The schema of a body; undefined for a body that is not JSON. */
function bodyOf({ content }) {
  return content["application/json"]?.schema;
}

function controlParts({ controlRoutes, CONTROL_PATH, toControlDocument }, fixtures) {
  const { components, paths } = toControlDocument();
  return [
    "## Control routes",
    "Open routes answer anyone. The others require a token if tokens are listed.",
    table(
      ["route", "what it does", "query", "body", "answers", "open"],
      controlRoutes.map(({ answers, method, path }) => {
        const place = CONTROL_PATH + path;
        return [
          code(`${method} ${place}`),
          ...controlCells(paths[place][method.toLowerCase()], answers),
        ];
      }),
    ),
    controlBodies(components.schemas, fixtures),
  ];
}

/** The cells of a route. Refusals that every route has are left out; `answers` has its own statuses. */
function controlCells({ parameters = [], requestBody, responses, security, summary }, answers) {
  const query = parameters.filter((parameter) => parameter.in === "query");
  const own = Object.entries(responses).filter(([status]) => status in answers);
  return [
    sentence(summary),
    query.map(({ name }) => code(`?${name}=`)).join(", "),
    requestBody ? linkTo(bodyOf(requestBody)) : "",
    own.map(([status, answer]) => `${status}${answerOf(answer)}`).join(", "),
    security.length === 0 ? "yes" : "",
  ];
}

/** The bodies that have no other section on the page. */
function controlBodies(components, { $defs, errorCodes, problemTypes }) {
  const own = Object.entries(components).filter(([name]) => !(name in $defs));
  const links = { ...linksTo(own.map(([name]) => name)), ...PLACES };
  const context = { components, errorCodes, problemTypes, isAnswer: true, links };
  return own.map(([name, schema]) => {
    const isFault = name === "FaultState";
    return [
      `### ${name}`,
      schema.description,
      isFault ? "It has the members of a [fault](#faults), and:" : "",
      memberTable(isFault ? beyond($defs.Fault, schema) : schema, context),
    ];
  });
}

/** A schema without the members of another one. */
function beyond({ properties: known }, schema) {
  const others = Object.entries(schema.properties).filter(([name]) => !(name in known));
  return { ...schema, properties: Object.fromEntries(others) };
}

function answerOf({ content }) {
  const schema = content && bodyOf({ content });
  if (schema?.$ref) return ` ${linkTo(schema)}`;
  const names = Object.keys(schema?.properties ?? {});
  return names.length > 0 ? ` ${code(`{${names.join(", ")}}`)}` : "";
}

function linkTo({ $ref }) {
  const name = $ref.split("/").at(-1);
  const place = { Fault: "faults", Fixture: "fixtures" }[name] ?? name.toLowerCase();
  return `[${name}](#${place})`;
}

/** A table of the members at the top, and one for each member that is an object or a list of objects. */
function fixtureParts({ $defs: components }) {
  const { Fixture, Workspace } = components;
  const members = Object.entries(Fixture.properties);
  const links = Object.fromEntries(
    members.map(([name, member]) => [refOf(member), `See [${name}](#${name.toLowerCase()}).`]),
  );
  const top = members.map(([name, member]) => [name, atTop(name, member)]);
  return [
    "## Fixtures",
    "The members of a fixture, at its top:",
    memberTable({ ...Fixture, properties: Object.fromEntries(top) }, { components, links }),
    members
      .filter(([name, member]) => name !== "faults" && (refOf(member) ?? heldBy(member).properties))
      .map(([name, member]) => [
        `### ${name}`,
        refOf(member) === "Workspace"
          ? furtherWorkspaces(Fixture, Workspace)
          : memberTable(components[refOf(member)] ?? heldBy(member), { components }),
      ]),
  ];
}

/** The name of the component that a member, or its items, refer to. */
function refOf(member) {
  return (member.items ?? member).$ref?.split("/").at(-1);
}

/** The schema of a member itself, or of its items. */
function heldBy({ items, ...member }) {
  return items?.anyOf?.at(-1) ?? items ?? member;
}

/** A member without its own members, which have a separate table. */
function atTop(name, member) {
  if (heldBy(member).properties === undefined) return member;
  const description = [member.description, `See [${name}](#${name.toLowerCase()}).`].join(" ");
  return { ...shallow(member), description };
}

function shallow(schema) {
  const { anyOf, items } = schema;
  return {
    ...schema,
    properties: undefined,
    ...(anyOf ? { anyOf: anyOf.map(shallow) } : {}),
    ...(items ? { items: shallow(items) } : {}),
  };
}

function furtherWorkspaces(Fixture, Workspace) {
  const isOther = (name) =>
    !isDeepStrictEqual(Workspace.properties[name], Fixture.properties[name]);
  const names = Object.keys(Workspace.properties).map(code);
  const required = Workspace.required.map(code);
  const others = Object.keys(Workspace.properties).filter(isOther).map(code);
  return `Each has the members ${names.join(", ")}, as a fixture has them; ${required.join(", ")} is required, and in ${others.join(", ")} the \`id\`.`;
}

function gatewayParts({ policyList, principal, toJsonSchema }) {
  const { $defs: components, items } = toJsonSchema(policyList(), "input");
  const context = { components, links: linksTo(Object.keys(components)) };
  return [
    "[Behind the gateway](gateway.md) shows how policies are used. A name like `keySpaceIds` may also be written `key_space_ids`.",
    "## Policy",
    "A policy has exactly one of `keyauth`, `ratelimit`, `firewall`, `openapi`, `jwtauth` and `logging`.",
    memberTable(items, context),
    Object.entries(components).map(([name, schema]) => [
      `### ${name}`,
      sentence(schema.description),
      memberTable(schema, context),
    ]),
    "## Principal",
    "The header `X-Unkey-Principal` has these members as JSON.",
    memberTable(toJsonSchema(principal(), "output"), { isAnswer: true }),
  ];
}

/** Members that records of keys compute from others. */
const computed = [
  ["externalId", "The same as `ownerId`."],
  ["credits", "`{ remaining, refill }`, as v2 spells them; undefined for any number of uses."],
];

function recordParts({ keyMembers, toJsonSchema }) {
  const { $defs = {}, properties } = toJsonSchema(keyMembers(), "output");
  const rows = Object.entries(properties).map(([member, { $ref, description }]) => [
    member,
    description ?? $defs[$ref?.split("/").at(-1)]?.description,
  ]);
  return [
    "## Records",
    "What the collections of an emulator hold, in process. Records have the members of the items of a fixture, with their defaults; those of `emulator.keys` have a list below. Conditions and updates take the same members. Times are unix milliseconds; `create` and updates take them [in every spelling](fixtures.md#times). What is not set is undefined, and lists are then empty.",
    "### emulator.keys",
    table(
      ["member", "meaning"],
      [...rows, ...computed].map(([member, meaning]) => [code(member), sentence(meaning)]),
    ),
  ];
}

function faultParts({ $defs: components, errorCodes, problemTypes }) {
  return [
    "## Faults",
    "The members of a fault, wherever you give it. [Control](control.md#faults) explains how several faults combine.",
    memberTable(components.Fault, { components, errorCodes, problemTypes }),
  ];
}

function errorParts({ errorCauses, errorStatus }) {
  return [
    "## Error codes",
    "A refusal of v1 has one of these codes in `error.code`.",
    table(
      ["code", "status", "when"],
      Object.entries(errorStatus).map(([name, status]) => [code(name), status, errorCauses[name]]),
    ),
  ];
}

function problemParts({ problemTypes, statusOfType, toProblem }) {
  const titleOf = (type) => {
    const refusal = { code: "", message: "", status: statusOfType(type), type, violations: [] };
    return toProblem(refusal, "").error.title;
  };
  return [
    "## Problem types",
    "A refusal of v2 has one of these types in `error.type`, behind `https://unkey.com/docs/errors/`. Members and filters of latchkey take the type without that address. A path or method that leads to no operation is answered 404 or 405 with the type `about:blank`.",
    "[Operations of your own](own-operations.md#refusals) and faults may send any other type of the form `unkey/<category>/<specific>`; its title follows from the status. Without a type, 409 and 410 have `unkey/application/precondition_failed`, and any other status below 500 that the table lacks `unkey/application/invalid_input`.",
    table(
      ["type", "status", "title", "when"],
      problemTypes.map((type) => [
        code(type),
        statusOfType(type),
        titleOf(type),
        problemCauses[type] ?? ONLY_FAULT,
      ]),
    ),
  ];
}

function quirkParts({ quirks }) {
  return [
    "## Quirks",
    "Each quirk changes the named versions only. The [known differences](differences.md) say what latchkey does without it.",
    table(
      ["quirk", "version", "behaviour that it brings back"],
      Object.entries(quirks).map(([name, live]) => [
        code(name),
        quirkVersions(name),
        sentence(live),
      ]),
    ),
  ];
}
