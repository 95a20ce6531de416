/// <reference lib="dom" preserve="true" />
import { UsageError } from "../base/usage-error.ts";
import type { Emulator } from "../emulator/emulator.ts";
import { requireEmulator } from "../emulator/web.ts";
import { connectionTo } from "./data/in-browser.ts";
import type { Connection } from "./data/connection.ts";
import { files } from "./files.ts";

/** The web page in a frontend. */
export interface MountedPage {
  /** Removes the page. The emulator does not change. */
  unmount(): void;
}

/**
 * Shows the web page of an emulator that runs in this browser, in an iframe that fills an element. The
 * frontend and the page do not share styles, and the address bar does not change.
 * @throws UsageError if `element` is not an element, or `emulator` is not an emulator
 */
export function mountPage(element: Element, emulator: Emulator): MountedPage {
  requireEmulator(emulator, "mountPage");
  // `querySelector` returns null if there is no such element.
  if (!(element as Element | null)) {
    throw new UsageError("mountPage: expected an element to show the page in, got none");
  }
  const end = new AbortController();
  const connection = connectionTo(emulator);
  const send: Connection["send"] = (path, { signal, ...init }) => {
    const signals = signal ? [signal, end.signal] : [end.signal];
    return connection.send(path, { ...init, signal: AbortSignal.any(signals) });
  };
  const frame = element.ownerDocument.createElement("iframe");
  // The code in the frame reads its connection to the emulator from there.
  Object.assign(frame, {
    title: "latchkey",
    srcdoc: wholePage(),
    latchkey: { ...connection, send },
  });
  frame.style.cssText = "display: block; width: 100%; height: 100%; min-height: 30rem; border: 0";
  element.append(frame);
  return {
    unmount() {
      end.abort();
      frame.remove();
    },
  };
}

/** The HTML of the page, with the styles and the code inline. */
function wholePage(): string {
  return files["index.html"]
    .replace(/<link rel="stylesheet".*>/, () => `<style>${files["page.css"]}</style>`)
    .replace(/ src="page.js">/, () => `>${files["page.js"]}`);
}
