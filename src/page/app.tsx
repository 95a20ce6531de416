import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { Client } from "./data/client.ts";
import { PageContext, type OfPage } from "./data/page-context.ts";
import { usePlace, views, type View } from "./data/place.ts";
import { firstTokens, keepTokens, takeTokens } from "./data/token.ts";
import { focusMain, useKeptFocus } from "./data/use-focus.ts";
import { timeOf, useWorld, type PageClock } from "./data/use-world.ts";
import type { Tokens, Connection } from "./data/connection.ts";
import { CallForm } from "./views/call-form.tsx";
import { Calls } from "./views/calls.tsx";
import { Customers } from "./views/customers.tsx";
import { closeDrawer } from "./views/drawer.tsx";
import { Findings } from "./views/findings.tsx";
import { Head } from "./views/head.tsx";
import { Keys } from "./views/keys.tsx";
import { Limits } from "./views/limits.tsx";
import { Refusal } from "./views/parts.tsx";
import { Rail } from "./views/rail.tsx";
import { Roles } from "./views/roles.tsx";
import { TokenDialog } from "./views/token.tsx";

/** The whole page. It starts over whenever a token is chosen. */
export function App({ connection }: { readonly connection: Connection }) {
  // Without a server, the address has no tokens, and the tokens of this tab belong to another emulator.
  const isServed = connection.tokens === undefined;
  // A new client even if the same token is chosen again, because a fixture may list it by now.
  const [client, setClient] = useState(
    () => new Client(connection, connection.tokens ?? firstTokens()),
  );
  const [count, setCount] = useState(0);
  const choose = (tokens: Tokens) => {
    if (isServed) keepTokens(tokens);
    setClient(new Client(connection, tokens));
    setCount((before) => before + 1);
  };
  // Listens before the first paint, as `usePlace` does.
  useLayoutEffect(() => {
    if (!isServed) return undefined;
    const onChange = () => {
      const tokens = takeTokens();
      if (tokens !== undefined) choose(tokens);
    };
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  // The new key discards the state of all components, so that data of one token is not shown to the next.
  return <Emulator key={count} client={client} onTokens={choose} />;
}

const shown: Readonly<Record<View, () => preact.JSX.Element>> = {
  keys: Keys,
  customers: Customers,
  limits: Limits,
  roles: Roles,
  findings: Findings,
  call: CallForm,
};

interface EmulatorProps {
  readonly client: Client;
  readonly onTokens: (tokens: Tokens) => void;
}

/** The emulator as one token sees it. */
function Emulator({ client, onTokens }: EmulatorProps) {
  const world = useWorld(client);
  const place = usePlace();
  const now = useNow(world.clock);
  const [drafts] = useState(() => new Map<string, string>());
  const [isAsking, setAsking] = useState(false);
  const [isRailOpen, setRailOpen] = useState(false);
  const { clock, isLive, refused, workspace } = world;
  const isTokenRefused =
    refused?.problems.some((line) => line.includes("authorization: ")) ?? false;
  useEffect(() => {
    if (isTokenRefused) setAsking(true);
  }, [isTokenRefused]);
  const page = useMemo<OfPage | undefined>(
    () =>
      workspace && clock && now !== undefined
        ? { client, drafts, place, now, world: { ...world, clock, workspace } }
        : undefined,
    [client, place, now, world],
  );
  useShortcuts(place);
  useKeptFocus();
  const api = workspace?.apis.find(({ id }) => id === place.apiId) ?? workspace?.apis[0];
  useEffect(() => {
    const shown = place.view === "keys" ? (api?.name ?? api?.id ?? views.keys) : views[place.view];
    document.title = `${shown} · ${client.connection.title ?? "latchkey"}`;
  }, [place.view, api?.name, api?.id]);
  const isGone = !isLive && workspace !== undefined && refused === undefined;
  const View = shown[place.view];
  return (
    <PageContext.Provider value={page}>
      <div class={isRailOpen ? "frame with-rail" : "frame"}>
        <button type="button" class="skip" onClick={focusMain}>
          Skip to the content
        </button>
        <Head
          client={client}
          isKnown={page !== undefined}
          isRailOpen={isRailOpen}
          onRail={() => setRailOpen(!isRailOpen)}
          onToken={() => setAsking(true)}
        />
        {page !== undefined && <Rail onChosen={() => setRailOpen(false)} />}
        <main tabIndex={-1}>
          <div class="troubles">
            <Refusal lines={client.connection.notices ?? []} />
            <Refusal lines={refused?.problems ?? (isGone ? [GONE] : [])} />
          </div>
          {page !== undefined && <View key={place.view} />}
        </main>
        {page !== undefined && <Calls />}
      </div>
      {isAsking && (
        <TokenDialog
          isIsolated={workspace?.isIsolated ?? false}
          sent={client}
          lines={isTokenRefused && refused ? refused.problems : []}
          onChoose={onTokens}
          onClose={() => setAsking(false)}
        />
      )}
    </PageContext.Provider>
  );
}

const GONE = "The emulator does not answer. This page tries again every second.";

/** `/` leads to the search, and Escape closes the drawer. */
function useShortcuts(place: OfPage["place"]): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector("dialog[open], :popover-open")) return;
      const isTyping = (event.target as HTMLElement).matches("input, textarea, select");
      if (event.key === "Escape") closeDrawer(place);
      if (event.key !== "/" || isTyping) return;
      event.preventDefault();
      document.querySelector<HTMLInputElement>("input[type=search]")?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [place]);
}

/** The emulator's time (unix milliseconds), updated once a second unless the clock is frozen. */
function useNow(clock: PageClock | undefined): number | undefined {
  const [now, setNow] = useState<number>();
  useEffect(() => {
    if (clock === undefined) return undefined;
    const look = () => setNow(timeOf(clock));
    look();
    if (clock.frozen) return undefined;
    const timer = setInterval(look, 1_000);
    return () => clearInterval(timer);
  }, [clock]);
  return now;
}
