import { toControlDocument } from "../../control/openapi.ts";
import { toOpenApi } from "../../contract/openapi.ts";
import { CONTROL_PATH } from "../../service/exchange.ts";
import { operations } from "../../operations/table.ts";
import { version } from "../../version.ts";

/** Prints the OpenAPI 3.1 document of all operations, or with `--control` of the control routes. */
export function runOpenApi(flags: Readonly<Record<string, unknown>>): number {
  const contracts = operations.map(({ contract }) => contract);
  const document = flags["control"]
    ? toControlDocument(CONTROL_PATH, version)
    : toOpenApi(contracts, version);
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  return 0;
}
