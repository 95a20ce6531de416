import type { Emulator } from "../../emulator/emulator.ts";
import { ANY_TOKEN, type Connection } from "./connection.ts";

/** The connection to an emulator that runs in this browser, with the first token that may control it. */
export function connectionTo(
  emulator: Emulator,
): Connection & Required<Pick<Connection, "tokens">> {
  const { controlToken, isolatedTokens, workspaces } = emulator;
  const listed = [...workspaces.all().flatMap(({ tokens }) => tokens.all()), ...isolatedTokens];
  const mayControl = ({ token }: { readonly token: string }) =>
    emulator.controls({ header: () => `Bearer ${token}` }) !== undefined;
  const { token = ANY_TOKEN } = listed.find(mayControl) ?? listed[0] ?? {};
  return {
    // The host of the URL does not matter.
    send: (path, init) => emulator.fetch(`http://localhost/${path}`, init),
    tokens: { token, controlToken },
  };
}
