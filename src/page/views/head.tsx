import { useEffect, useState } from "preact/hooks";
import type { Client } from "../data/client.ts";
import { keep, readKept } from "../data/kept.ts";
import { shortToken } from "../data/token.ts";
import { ClockMenu } from "./clock.tsx";
import { FaultsMenu } from "./faults.tsx";
import { Copy } from "./parts.tsx";
import { WorkspaceMenu } from "./workspace.tsx";

interface HeadProps {
  readonly client: Client;
  /** Whether the state of the emulator is known. */
  readonly isKnown: boolean;
  readonly isRailOpen: boolean;
  readonly onRail: () => void;
  readonly onToken: () => void;
}

/** The context of everything below: the workspace, its URL, the clock, the faults and the token. */
export function Head({ client, isKnown, isRailOpen, onRail, onToken }: HeadProps) {
  const { baseUrl } = client.connection;
  return (
    <header class="head">
      <button
        type="button"
        class="chip of-rail"
        aria-label="Views"
        aria-expanded={isRailOpen}
        onClick={onRail}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2 4h12M2 8h12M2 12h12" />
        </svg>
      </button>
      <span class="brand">
        <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M3.5 12a4.5 4.5 0 1 0 9 0 4.5 4.5 0 0 0-9 0m9 0H22m-3.5 0v4m-4-4v3" />
        </svg>
        <b>{client.connection.title ?? "latchkey"}</b>
      </span>
      {isKnown && <WorkspaceMenu />}
      {baseUrl !== undefined && (
        <span class="chip url">
          <code>{baseUrl}</code>
          <Copy text={baseUrl} label="Copy the URL" />
        </span>
      )}
      <span class="grow" />
      {isKnown && <ClockMenu />}
      {isKnown && <FaultsMenu />}
      <button type="button" class="chip" onClick={onToken} title="The token that this page sends">
        <span class="wide">token</span> <code>{shortToken(client.token)}</code>
      </button>
      <Scheme />
    </header>
  );
}

const SCHEME = "latchkey-theme";

/** Switches between light and dark. The default is the setting of the system. */
function Scheme() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const [scheme, setScheme] = useState(readKept("localStorage", SCHEME) ?? system);
  useEffect(() => {
    document.documentElement.style.colorScheme = scheme;
  }, [scheme]);
  const other = scheme === "dark" ? "light" : "dark";
  const label = `Switch to ${other} colours`;
  return (
    <button
      type="button"
      class="chip"
      aria-label={label}
      title={label}
      onClick={() => {
        keep("localStorage", SCHEME, other);
        setScheme(other);
      }}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" />
        <path d="M8 2a6 6 0 0 0 0 12Z" fill="currentColor" />
      </svg>
    </button>
  );
}
