import { render } from "preact";
import { App } from "./app.tsx";
import { keepPlaceInMemory } from "./data/place.ts";
import { wayToServer, type Way } from "./data/way.ts";

interface Given {
  readonly latchkey?: Way;
}

// `mountPage` leaves the way at the frame, and a static site at the window.
const mounted = (frameElement as Given | null)?.latchkey;
if (mounted !== undefined) keepPlaceInMemory();
render(<App way={mounted ?? (window as Given).latchkey ?? wayToServer()} />, document.body);
