import { toOpenApi } from "../contract/openapi.ts";
import { operations } from "../operations/table.ts";
import { version } from "../version.ts";

/** Prints the OpenAPI 3.1 document of all that is served. */
export function runOpenApi(): number {
  const contracts = operations.map(({ contract }) => contract);
  process.stdout.write(`${JSON.stringify(toOpenApi(contracts, version), null, 2)}\n`);
  return 0;
}
