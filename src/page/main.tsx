import { render } from "preact";
import { App } from "./app.tsx";
import { keepPlaceInMemory } from "./data/place.ts";
import { serverConnection, type Connection } from "./data/connection.ts";

interface Given {
  readonly latchkey?: Connection;
}

// `mountPage` sets the connection on the frame, and a static site sets it on the window.
const mounted = (frameElement as Given | null)?.latchkey;
if (mounted !== undefined) keepPlaceInMemory();
render(
  <App connection={mounted ?? (window as Given).latchkey ?? serverConnection()} />,
  document.body,
);
