import { toControlDocument } from "../../control/openapi.ts";
import { toOpenApi } from "../../contract/openapi.ts";
import { operationsOf } from "../../operations/table.ts";
import { throwLines } from "../../base/throw-lines.ts";
import { UsageError } from "../../usage-error.ts";
import { openApiOptions } from "../options/options.ts";
import { readFlags } from "../options/read-options.ts";
import { version } from "../../version.ts";

/**
 * Prints the OpenAPI 3.1 document of the operations of one version, or with `--control` the document of
 * the control routes.
 * @throws UsageError for an unknown version, and for a version together with `--control`
 */
export function runOpenApi(flags: Readonly<Record<string, unknown>>): number {
  const { lines, options } = readFlags(flags, openApiOptions);
  throwLines(lines);
  const { control = false, version: interfaceName } = options;
  if (control && interfaceName !== undefined) {
    throw new UsageError(
      "--version cannot be used with --control: the control routes have no versions",
    );
  }
  const contracts = operationsOf().map(({ contract }) => contract);
  const document = control
    ? toControlDocument()
    : toOpenApi(contracts, version, interfaceName ?? "v2");
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  return 0;
}
