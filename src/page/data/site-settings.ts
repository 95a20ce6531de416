import type { EmulatorOptions } from "../../emulator/options.ts";
import type { Fixture } from "../../seed/format.ts";

/** What `latchkey site` writes into the HTML of a site. */
export interface SiteSettings extends Pick<EmulatorOptions, "latency" | "quirks" | "strict"> {
  readonly title: string | undefined;
  /** The time at which the clock starts (unix milliseconds). */
  readonly at: number;
  /** Whether the clock is frozen. */
  readonly isFrozen: boolean;
  readonly faults: Fixture["faults"];
  /** Whether the site has a file `calls.js`. */
  readonly hasCalls: boolean;
}
