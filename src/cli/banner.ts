import { inShell, pluralize, printable } from "../base/wording/text.ts";
import { grants, type UrnScope } from "../api/urn.ts";
import type { Emulator } from "../emulator/emulator.ts";
import type { RunningServer } from "../doors/http/serve.ts";
import { onApi } from "../service/operations/operation.ts";
import { noProxyEntries, noProxyVariables } from "../doors/proxy/no-proxy.ts";
import { AccessToken } from "../state/records/tokens.ts";
import type { Api } from "../state/records/apis.ts";
import type { PublicWorkspace } from "../state/public/workspace.ts";
import { version } from "../base/version.ts";

/** What a person or a program needs to use the emulator: the ready line of `--json`. */
export interface Ready {
  /** The public URL, if there is one. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** An accepted token. If no token is listed, any other is accepted too. */
  readonly token: string;
  /** The random control token; undefined if a person chose one or none is needed. */
  readonly controlToken: string | undefined;
  /** The URL of the gateway (`--gateway`); undefined without one. */
  readonly gateway: string | undefined;
  readonly apis: readonly {
    readonly id: string;
    readonly name: string | undefined;
    readonly keys: number;
  }[];
}

/** The token to show if no token is listed, because then the emulator accepts any. */
const ANY_TOKEN = "local";

type ServerInfo = Pick<
  RunningServer,
  "url" | "port" | "hasControl" | "hasPage" | "isBeyondLoopback"
>;

/** What is printed, sent and opened once the emulator listens. */
export type StartupInfo = ReturnType<typeof startupInfo>;

export function startupInfo(emulator: Emulator, server: ServerInfo, context: StartupContext = {}) {
  const { gateway, isControlTokenGiven = false, publicUrl, state } = context;
  const { hasControl, hasPage, port, url: localUrl } = server;
  const url = publicUrl ?? localUrl;
  const { api, token, workspace } = choose(emulator);
  const counts = new Map<string, number>();
  // In one pass, because a workspace may have a million keys.
  for (const { apiId } of workspace.keys.values()) counts.set(apiId, (counts.get(apiId) ?? 0) + 1);
  const apis = workspace.apis.all().map(({ id, name }) => ({
    id,
    name,
    keys: counts.get(id) ?? 0,
  }));
  const isOpen = listsNoToken(emulator);
  const { quirks } = emulator;
  const controlToken = hasControl ? emulator.controlToken : undefined;
  const pageTokenForControl = mayControl(emulator, token)
    ? undefined
    : findTokenForControlRoutes(emulator);
  // A control token that a person chose is not shown: the output of a container is kept, and every
  // user of the machine can read the arguments of the program that opens the page.
  const isHidden = isControlTokenGiven && pageTokenForControl === controlToken;
  // Browsers do not send a fragment to the server, and the page removes it from the address bar.
  const fragment = new URLSearchParams(isOpen ? {} : { token });
  if (pageTokenForControl !== undefined && !isHidden) fragment.set("control", pageTokenForControl);
  const page = fragment.size === 0 ? `${url}/` : `${url}/#${fragment}`;
  const lines = [
    `latchkey ${version}`,
    "",
    `  url    ${url}`,
    `  token  ${token}${isOpen ? tokenNote(emulator) : ""}`,
    ...(hasPage ? [`  page   ${page}`] : []),
    ...(gateway === undefined ? [] : [`  gateway  ${gateway}`]),
    ...controlNote(emulator, server, { isControlTokenGiven, publicUrl }),
    `  seed   ${seedNote(emulator, state)}`,
    ...(state === undefined ? [] : [`  state  ${stateNote(state)}`]),
    ...redirectNote(context.redirected),
    ...(quirks.length === 0 ? [] : [`  quirk  ${quirks.join(", ")}`]),
    ...toRows(apis).map(
      (row, index) => `${index === 0 ? "  apis   " : "         "}${emulator.mask(row)}`,
    ),
    ...(api === undefined ? [] : ["", `  ${toCurl(url, token, api.id)}`]),
    "",
  ];
  const ready: Ready = {
    url,
    port,
    pid: process.pid,
    token,
    controlToken: isControlTokenGiven ? undefined : controlToken,
    gateway,
    apis,
  };
  return {
    /** The line that `--json` prints. */
    ready,
    /** Random or chosen by a person, for the parent process of `startProcess`. */
    controlToken,
    /** The variables of programs that use the emulator: the command of `exec`, or programs of a test. */
    programEnv: {
      LATCHKEY_URL: localUrl,
      LATCHKEY_TOKEN: token,
      ...(gateway === undefined ? {} : { LATCHKEY_GATEWAY_URL: gateway }),
      ...(controlToken === undefined ? {} : { LATCHKEY_CONTROL_TOKEN: controlToken }),
      ...noProxyVariables(noProxyEntries(process.env)),
      ...context.redirected?.variables,
    },
    /** The address of the process, for programs on this machine, whatever the public URL is. */
    localUrl,
    /** A token that may use the control routes, for the parent process of `startProcess`. */
    clientToken: controlToken ?? pageTokenForControl ?? token,
    banner: lines.map(printable).join("\n"),
    /** The URL of the web page, with the tokens that it needs, but no control token that a person chose. */
    page,
  };
}

interface StartupContext {
  /** The URL of the gateway. */
  readonly gateway?: string | undefined;
  readonly isControlTokenGiven?: boolean;
  /** The origins of `--as`, and the variables of programs that are redirected from there. */
  readonly redirected?: Redirected | undefined;
  /** The URL for people, without a slash at its end, if it differs from the address of the process. */
  readonly publicUrl?: string | undefined;
  readonly state?: StateNote | undefined;
}

/** The control token, or a listed one that opens these routes; undefined if none does. */
export function findTokenForControlRoutes(emulator: Emulator): string | undefined {
  const { controlToken, workspaces } = emulator;
  const listed = workspaces.all().flatMap(({ tokens }) => tokens.all());
  return controlToken ?? listed.find(({ token }) => mayControl(emulator, token))?.token;
}

/** Whether the control routes answer a request with this token, or without one. */
export function mayControl(emulator: Emulator, token: string | undefined): boolean {
  return emulator.controls({ header: () => token && `Bearer ${token}` }) !== undefined;
}

/** Says who may use the control routes, unless everyone or the token of the banner may. */
function controlNote(
  emulator: Emulator,
  { hasControl, isBeyondLoopback }: ServerInfo,
  { isControlTokenGiven, publicUrl }: StartupContext,
): string[] {
  const { controlToken } = emulator;
  if (!hasControl) return [];
  if (isControlTokenGiven) return ["  control  the control routes need the control token"];
  if (controlToken !== undefined) {
    return [
      `  control  ${controlToken} (control token, because no listed token may use control routes)`,
    ];
  }
  if (!mayControl(emulator, undefined)) return [];
  // Requests through a proxy on this machine count as local.
  if (publicUrl !== undefined) {
    return [
      "  control  everyone who opens the url may use the control routes; set --control-token to prevent it",
    ];
  }
  return isBeyondLoopback
    ? ["  control  control routes answer this machine only; set --control-token for other machines"]
    : [];
}

interface Redirected {
  readonly origins: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

function redirectNote(redirected: Redirected | undefined): string[] {
  if (redirected === undefined) return [];
  const { origins, variables } = redirected;
  const texts = Object.entries(variables).map(([name, value]) => `${name}=${inShell(value)}`);
  return [
    `  as     ${origins.join(", ")}, for programs that run with these variables:`,
    `         ${texts.join(" ")}`,
  ];
}

interface StateNote {
  readonly file: string;
  readonly isLoaded: boolean;
  /** Options for another initial state, which are ignored because the state was loaded. */
  readonly ignored: readonly string[];
}

function tokenNote({ isolatedTokens, isIsolated }: Emulator): string {
  if (!isIsolated) return " (any is accepted, with all permissions)";
  const accepted = isolatedTokens.length === 0 ? "any" : "each --token";
  return ` (${accepted} is accepted, and each token has its own copy of the workspace)`;
}

function seedNote({ clock, randomSeed }: Emulator, state: StateNote | undefined): string {
  if (state?.isLoaded) return `${randomSeed}`;
  const flags = `--random-seed ${randomSeed}`;
  return clock.isFrozen
    ? `${randomSeed} (${flags} --now ${new Date(clock.now()).toISOString()} makes the same world again)`
    : `${randomSeed} (${flags} makes the same keys again, with --now also the same times)`;
}

function stateNote({ file, ignored, isLoaded }: StateNote): string {
  if (!isLoaded) return `${file} (new)`;
  return ignored.length === 0 ? file : `${file} (${ignored.join(" and ")} ignored)`;
}

function toRows(apis: Ready["apis"]): string[] {
  if (apis.length === 0) return ["none; list some in a fixture"];
  const width = Math.max(...apis.map(({ id }) => id.length));
  return apis.map(({ id, name = "", keys }) =>
    `${id.padEnd(width)}  ${pluralize(keys, "key")}  ${name}`.trimEnd(),
  );
}

function toCurl(url: string, token: string, apiId: string): string {
  const call = `curl -H ${inShell(`Authorization: Bearer ${token}`)}`;
  const body = inShell(JSON.stringify({ apiId }));
  return `${call} -H 'Content-Type: application/json' -d ${body} ${inShell(`${url}/v2/apis.listKeys`)}`;
}

interface Choice {
  readonly workspace: PublicWorkspace;
  readonly token: string;
  /** An API whose keys the token may list; undefined if there is none. */
  readonly api: Api | undefined;
}

/**
 * Chooses the token to show: one that may list the keys of an API and use the control routes, else one
 * that may list keys, else the first.
 */
function choose(emulator: Emulator): Choice {
  const { clock, isolatedTokens, workspaces } = emulator;
  const isOpen = listsNoToken(emulator);
  const choices = workspaces.all().flatMap((workspace): Choice[] => {
    const apis = workspace.apis.all().filter(({ keyspace }) => keyspace);
    const listed = workspace.tokens.all();
    if (isOpen && isolatedTokens.length === 0)
      return [{ workspace, token: ANY_TOKEN, api: apis[0] }];
    const tokens = isOpen
      ? isolatedTokens.map(
          ({ token, permissions }) =>
            new AccessToken({ token, permissions: [...(permissions ?? ["*"])] }),
        )
      : listed;
    return tokens.map((token) => {
      const isGood =
        workspace.enabled && token.enabled && (token.expires ?? Infinity) > clock.now();
      const api = apis.find(({ id }) => isGood && mayList(token, id, workspace));
      return { workspace, token: token.token, api };
    });
  });
  const usable = choices.filter(({ api }) => api !== undefined);
  const chosen = usable.find(({ token }) => mayControl(emulator, token)) ?? usable[0] ?? choices[0];
  if (chosen === undefined) throw new Error("an emulator is made with a workspace");
  return chosen;
}

function listsNoToken({ workspaces }: Emulator): boolean {
  return workspaces.all().every(({ tokens }) => tokens.count() === 0);
}

function mayList({ permissions }: AccessToken, apiId: string, scope: UrnScope): boolean {
  const rights = [onApi(apiId, "read_key"), onApi(apiId, "read_api")];
  return rights.every((right) => grants(permissions, right, scope));
}
