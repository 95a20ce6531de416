import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { Client } from "./data/client.ts";
import { Faults } from "./components/faults.tsx";
import { Findings } from "./components/findings/findings.tsx";
import { Header } from "./components/header.tsx";
import { PageContext } from "./data/page-context.ts";
import { Journal } from "./components/journal/journal.tsx";
import { Records } from "./components/records.tsx";
import { useViewState } from "./data/view-state.ts";
import { Refusal } from "./components/refusal.tsx";
import { TokenDialog } from "./components/token-dialog.tsx";
import { firstTokens, keepTokens, takeTokens, type Tokens } from "./data/token.ts";
import { timeOf, useWorld, type PageClock } from "./data/use-world.ts";
import { StatePanel } from "./components/state-panel.tsx";

/** The whole page. It starts over whenever a token is chosen. */
export function App() {
  // A new client even if the same token is chosen again, because a fixture may list it by now.
  const [client, setClient] = useState(() => new Client(firstTokens()));
  const [count, setCount] = useState(0);
  const choose = (tokens: Tokens) => {
    setClient(new Client(tokens));
    setCount((before) => before + 1);
  };
  // Listens before the first paint, as `useViewState` does.
  useLayoutEffect(() => {
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

interface EmulatorProps {
  readonly client: Client;
  readonly onTokens: (tokens: Tokens) => void;
}

/** The emulator as one token sees it. */
function Emulator({ client, onTokens }: EmulatorProps) {
  const world = useWorld(client);
  const viewState = useViewState();
  const { records, view } = viewState;
  const now = useNow(world.clock);
  const [isAsking, setAsking] = useState(false);
  const { clock, faults, isLive, refused, requests, revision, workspace } = world;
  const isTokenRefused = refused?.problems.some((line) => line.startsWith("authorization: "));
  // Without a workspace there was no first answer yet.
  const isGone = !isLive && workspace !== undefined && refused === undefined;
  useEffect(() => {
    if (isTokenRefused) setAsking(true);
  }, [isTokenRefused]);
  // While the clock stands still, a verification may change no record.
  const state = `${revision} ${requests.at(-1)?.requestId}`;
  const permissions = workspace?.permissions;
  const page = useMemo(
    () => ({ client, revision: state, clock, permissions }),
    [client, state, clock, permissions?.join(" ")],
  );
  return (
    <PageContext.Provider value={page}>
      <Header
        world={world}
        viewState={viewState}
        now={now}
        token={client.token}
        onToken={() => setAsking(true)}
      />
      <main class={`view-${view} ${view === records ? "of-records" : ""}`}>
        {refused !== undefined && <Refusal lines={refused.problems} />}
        {isGone && <Refusal lines={[GONE]} />}
        {workspace !== undefined && now !== undefined && (
          <Records
            client={client}
            world={{ ...world, workspace }}
            viewState={viewState}
            now={now}
          />
        )}
        <Journal
          client={client}
          requests={requests}
          faults={faults}
          isLive={isLive}
          mayControl={workspace?.mayControl ?? false}
        />
        {workspace !== undefined && (
          <Findings client={client} world={world} mayControl={workspace.mayControl} />
        )}
        {workspace !== undefined && (
          <Faults client={client} faults={faults} workspace={workspace} />
        )}
        {workspace !== undefined && clock !== undefined && now !== undefined && (
          <StatePanel client={client} clock={clock} now={now} workspace={workspace} />
        )}
      </main>
      {isAsking && (
        <TokenDialog
          isIsolated={workspace?.isIsolated ?? false}
          sent={client}
          lines={isTokenRefused && refused ? refused.problems : []}
          onChoose={(tokens) => {
            keepTokens(tokens);
            onTokens(tokens);
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </PageContext.Provider>
  );
}

const GONE = "The emulator does not answer. The page tries again every second.";

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
