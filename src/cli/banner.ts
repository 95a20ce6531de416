import { pluralize } from "../schema/pluralize.ts";
import { isAllowed } from "../service/authenticate.ts";
import { BASE_TIME, type Emulator } from "../emulator/emulator.ts";
import type { RunningServer } from "../http/serve.ts";
import { listKeys } from "../operations/list-keys.ts";
import { AccessToken, type Api } from "../store/records.ts";
import type { Access } from "../store/store.ts";
import type { Workspace } from "../store/workspace.ts";
import { version } from "../version.ts";

/** What a person or a program needs to start using the emulator. */
export interface Ready {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** A token to use. Where none is listed, any would do. */
  readonly token: string;
  /** What control routes take, where a random token was made for them. */
  readonly controlToken?: string;
  readonly apis: readonly { readonly id: string; readonly name?: string; readonly keys: number }[];
}

/** Any token opens a workspace that lists none; this is the one to show. */
const ANY_TOKEN = "local";

type Place = Pick<RunningServer, "url" | "port" | "hasControl" | "hasPage" | "isBeyondLoopback">;

/** How an emulator that listens is made known. */
export interface StartupInfo {
  /** What `--json` prints. */
  readonly ready: Ready;
  /**
   * What control routes take, given or made, for programs that the token is handed on to in private;
   * undefined where there is none, or there are no control routes.
   */
  readonly controlToken: string | undefined;
  /** For a person. */
  readonly banner: string;
  /** Where to look at it, with the tokens to look and steer with, but no given control token. */
  readonly page: string;
}

export function startupInfo(
  emulator: Emulator,
  server: Place,
  { isControlTokenGiven = false, state }: Notes = {},
): StartupInfo {
  const { hasControl, hasPage, port, url } = server;
  const { api, token, workspace } = choose(emulator);
  const apis = workspace.apis.all().map(({ id, name }) => ({
    id,
    ...(name === undefined ? {} : { name }),
    keys: workspace.keys.countOf({ apiId: id }),
  }));
  const isOpen = listsNoToken(emulator);
  const { quirks } = emulator;
  const controlToken = hasControl ? emulator.controlToken : undefined;
  const looking = isOpen ? {} : { token };
  const steering = mayControl(emulator, token) ? undefined : steererOf(emulator);
  // A control token that a person gave is not shown: the output of a container is kept, and every
  // user of the machine can read the arguments of the program that opens the page.
  const isHidden = isControlTokenGiven && steering === controlToken;
  const page = toPage(url, isHidden ? looking : { ...looking, steering });
  const lines = [
    `latchkey ${version}`,
    "",
    `  url    ${url}`,
    `  token  ${token}${isOpen ? tokenNote(emulator) : ""}`,
    ...(hasPage ? [`  page   ${page}`] : []),
    ...steerNote(emulator, server, isControlTokenGiven),
    `  seed   ${seedNote(emulator, state)}`,
    ...(state === undefined ? [] : [`  state  ${stateNote(state)}`]),
    ...(quirks.length === 0 ? [] : [`  quirk  ${quirks.join(", ")}`]),
    ...toRows(apis).map((row, index) => `${index === 0 ? "  apis   " : "         "}${row}`),
    ...(api === undefined ? [] : ["", `  ${toCurl(url, token, api.id)}`]),
    "",
  ];
  return {
    ready: {
      url,
      port,
      pid: process.pid,
      token,
      ...(controlToken === undefined || isControlTokenGiven ? {} : { controlToken }),
      apis,
    },
    controlToken,
    banner: lines.join("\n"),
    page,
  };
}

interface Notes {
  /** Whether a person has chosen the control token. */
  readonly isControlTokenGiven?: boolean;
  readonly state?: StateNote | undefined;
}

/** The page takes both tokens from the fragment, which no browser sends, and out of the address. */
function toPage(
  url: string,
  { steering, token }: { readonly token?: string; readonly steering?: string | undefined },
): string {
  const members = Object.entries({ token, control: steering }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return members.length === 0 ? `${url}/` : `${url}/#${members.join("&")}`;
}

/** A token for control routes; undefined where none is known to open them. */
export function steererOf(emulator: Emulator): string | undefined {
  const { controlToken, workspaces } = emulator;
  const listed = workspaces.all().flatMap(({ tokens }) => tokens.all());
  return controlToken ?? listed.find((each) => mayControl(emulator, each.token))?.token;
}

export function mayControl(emulator: Emulator, token: string | undefined): boolean {
  return emulator.mayControl({ header: () => token && `Bearer ${token}` });
}

/** Who may use the control routes, where that is not what one expects. */
function steerNote(
  emulator: Emulator,
  { hasControl, isBeyondLoopback }: Place,
  isControlTokenGiven: boolean,
): string[] {
  const { controlToken } = emulator;
  if (!hasControl) return [];
  if (isControlTokenGiven) return ["  steer  with the control token"];
  if (controlToken !== undefined) {
    return [`  steer  ${controlToken} (control token, because no listed token may steer)`];
  }
  return isBeyondLoopback && mayControl(emulator, undefined)
    ? ["  steer  from this machine alone; with --control-token, from others too"]
    : [];
}

/** A file that the state is saved to. */
export interface StateNote {
  readonly file: string;
  /** Whether the emulator started from it. */
  readonly isLoaded: boolean;
  /** Options that say what else to start from. */
  readonly leftAside: readonly string[];
}

function tokenNote({ isolatedTokens, isIsolated }: Emulator): string {
  if (!isIsolated) return " (any is accepted, with all permissions)";
  const who = isolatedTokens.length === 0 ? "any is accepted" : "of those that may come";
  return ` (${who}, and each has a copy of its own)`;
}

function seedNote(emulator: Emulator, state: StateNote | undefined): string {
  const { baseTime, randomSeed } = emulator;
  if (state?.isLoaded) return `${randomSeed}`;
  const flags = reproduceFlags(emulator, baseTime);
  const what = flags.includes("--now")
    ? "makes the same ids and keys again"
    : "makes the same keys again, with --now also their ids";
  return `${randomSeed} (${flags} ${what})`;
}

function stateNote({ file, isLoaded, leftAside }: StateNote): string {
  if (!isLoaded) return `${file} (new)`;
  return leftAside.length === 0 ? file : `${file} (${leftAside.join(" and ")} left aside)`;
}

/** The options that make this world once more. */
export function reproduceFlags({ randomSeed }: Emulator, baseTime: number | undefined): string {
  const flag = `--random-seed ${randomSeed}`;
  if (baseTime === undefined || baseTime === BASE_TIME) return flag;
  return `${flag} --now ${new Date(baseTime).toISOString()}`;
}

function toRows(apis: Ready["apis"]): string[] {
  if (apis.length === 0) return ["none; a fixture lists some"];
  const width = Math.max(...apis.map(({ id }) => id.length));
  return apis.map(({ id, name, keys }) => {
    return [id.padEnd(width), pluralize(keys, "key"), ...(name === undefined ? [] : [name])].join(
      "  ",
    );
  });
}

function toCurl(url: string, token: string, apiId: string): string {
  const header = quote(`Authorization: Bearer ${token}`);
  return `curl -H ${header} ${quote(`${url}/v1/apis.listKeys?apiId=${apiId}`)}`;
}

/** For a POSIX shell: nothing within single quotes means anything but the quote itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

interface Choice {
  readonly workspace: Workspace;
  readonly token: string;
  /** An API that the token may list; undefined where there is none. */
  readonly api: Api | undefined;
}

/** A token that works, with an API that it works for, and may steer, where there is one. */
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
      const api = apis.find(({ id }) => isGood && mayList({ workspace, token }, id));
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

function mayList(access: Access, apiId: string): boolean {
  const { workspace, token } = access;
  return isAllowed(token, listKeys.requires({ workspace, input: { apiId } }));
}
