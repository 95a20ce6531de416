/// <reference lib="dom" preserve="true" />
import { UsageError } from "../base/usage-error.ts";
import type { Emulator } from "../emulator/emulator.ts";
import { requireEmulator } from "../emulator/web.ts";
import { wayTo } from "./data/in-browser.ts";
import type { Way } from "./data/way.ts";
import { files } from "./files.ts";

/** The web page within a frontend. */
export interface MountedPage {
  /** Removes the page. The emulator stays as it is. */
  unmount(): void;
}

/**
 * Shows the web page of an emulator that runs in this browser, in a frame that fills an element. The
 * frontend and the page do not get the styles of each other, and the address stays that of the frontend.
 * @throws UsageError if `element` is no element, or `emulator` no emulator
 */
export function mountPage(element: Element, emulator: Emulator): MountedPage {
  requireEmulator(emulator, "mountPage");
  // What `querySelector` returns if there is no such element.
  if (!(element as Element | null)) {
    throw new UsageError("mountPage: expected an element to show the page in, got none");
  }
  const end = new AbortController();
  const way = wayTo(emulator);
  const send: Way["send"] = (path, { signal, ...init }) => {
    const signals = signal ? [signal, end.signal] : [end.signal];
    return way.send(path, { ...init, signal: AbortSignal.any(signals) });
  };
  const frame = element.ownerDocument.createElement("iframe");
  // The code in the frame finds its way to the emulator there.
  Object.assign(frame, { title: "latchkey", srcdoc: wholePage(), latchkey: { ...way, send } });
  frame.style.cssText = "display: block; width: 100%; height: 100%; min-height: 30rem; border: 0";
  element.append(frame);
  return {
    unmount() {
      end.abort();
      frame.remove();
    },
  };
}

/** The HTML of the page with its styles and its code in it. */
function wholePage(): string {
  return files["index.html"]
    .replace(/<link rel="stylesheet".*>/, () => `<style>${files["page.css"]}</style>`)
    .replace(/ src="page.js">/, () => `>${files["page.js"]}`);
}
