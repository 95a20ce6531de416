import { toControlDocument } from "../../control/openapi.ts";
import { toOpenApi } from "../../api/openapi/openapi.ts";
import { operationsOf } from "../../service/operations/table.ts";
import { throwLines } from "../../base/usage-error.ts";
import { openApiOptions } from "../options/options.ts";
import { readFlags } from "../options/read-options.ts";
import { version } from "../../base/version.ts";

/** Prints the OpenAPI 3.1 document of v2, or with `--control` of the control routes. */
export function runOpenApi(flags: Readonly<Record<string, unknown>>): number {
  const { lines, options } = readFlags(flags, openApiOptions);
  throwLines(lines);
  const contracts = operationsOf().map(({ contract }) => contract);
  const document = options.control ? toControlDocument() : toOpenApi(contracts, version, "v2");
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  return 0;
}
