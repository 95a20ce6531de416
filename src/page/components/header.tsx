import { useEffect, useRef, useState } from "preact/hooks";
import { keep, readKept } from "../data/kept.ts";
import {
  hashOf,
  recordViews,
  sideViews,
  toRecordView,
  type ViewState,
  type View,
} from "../data/view-state.ts";
import { toUtc } from "../data/time.ts";
import { shortToken } from "../data/token.ts";
import { isUsedUp, type World } from "../data/use-world.ts";

interface HeaderProps {
  readonly world: World;
  readonly viewState: ViewState;
  readonly now: number | undefined;
  readonly token: string;
  readonly onToken: () => void;
}

const titles: Readonly<Record<View, string>> = {
  keys: "Keys",
  usage: "Usage",
  identities: "Identities",
  limits: "Rate limits",
  roles: "Roles",
  journal: "Journal",
  findings: "Findings",
  faults: "Faults",
  state: "State",
};

export function Header({ now, onToken, viewState, token, world }: HeaderProps) {
  const { clock, faults, findings, isLive, requests, workspace } = world;
  const counts: Partial<Record<View, number>> = {
    journal: requests.length,
    findings: findings.length,
    faults: faults.filter((fault) => !isUsedUp(fault)).length,
  };
  // In a wide window, a view of records and another view are shown at once.
  const beside = toRecordView(viewState.view) === undefined ? viewState.records : "journal";
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // Keyboard users do not tab through all other panels first.
    const isChosenHere = nav.current?.contains(document.activeElement);
    if (isChosenHere) document.querySelector<HTMLElement>(`.panel.${viewState.view}`)?.focus();
    // Most panels are there once the workspace and the time are known.
  }, [viewState.view, workspace === undefined || now === undefined]);
  return (
    <header class="top">
      <h1>
        <Mark /> latchkey
      </h1>
      <span class="workspace">
        <bdi>{workspace?.name ?? workspace?.id}</bdi>
      </span>
      <nav aria-label="Views" ref={nav}>
        {[recordViews, sideViews].map((group) => (
          <span key={group[0]} class="group">
            {group.map((view) => (
              <a
                key={view}
                href={hashOf(viewState, { view })}
                class={view === beside ? `${view} beside` : view}
                aria-current={view === viewState.view ? "page" : undefined}
              >
                {titles[view]}
                {counts[view] ? <span class="count">{counts[view]}</span> : null}
              </a>
            ))}
          </span>
        ))}
      </nav>
      <span class="status">
        {now !== undefined && (
          <a
            class="clock"
            href={hashOf(viewState, { view: "state" })}
            title="The emulator's time, UTC"
          >
            {toUtc(now)}
            {clock?.frozen === true && " (stands still)"}
          </a>
        )}
        <span class={isLive ? "live on" : "live"}>{isLive ? "live" : "not connected"}</span>
        <button type="button" onClick={onToken} title="The token that this page sends">
          token <code>{shortToken(token)}</code>
        </button>
        <Theme />
      </span>
    </header>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="8" cy="12" r="4.5" />
      <path d="M12.5 12H22m-3.5 0v4m-4-4v3" />
    </svg>
  );
}

const THEME = "latchkey-theme";

/** Switches between light and dark. The default is the setting of the system. */
function Theme() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const [theme, setTheme] = useState(readKept("localStorage", THEME) ?? system);
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      class="quiet theme"
      aria-label={`Switch to ${other} colours`}
      title={`Switch to ${other} colours`}
      onClick={() => {
        keep("localStorage", THEME, other);
        setTheme(other);
      }}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        {theme === "dark" ? (
          <path d="M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v1m0 18v1M2 12h1m18 0h1M5 5l.7.7m12.6 12.6.7.7M5 19l.7-.7M18.3 5.7 19 5" />
        ) : (
          <path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.500 10.500Z" />
        )}
      </svg>
    </button>
  );
}
