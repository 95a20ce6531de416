import { versionAt, versions } from "../contract/version.ts";

/** The prefix of all control routes. No operation may have a path under it. */
export const CONTROL_PATH = "/_latchkey";

export function isControlPath(path: string): boolean {
  return path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`);
}

/** The prefix of the files of the web page. The page itself is at `/` too. */
export const PAGE_PATH = `${CONTROL_PATH}/ui`;

/** Whether the path can be that of a file of the web page. */
export function isPagePath(path: string): boolean {
  return path === "/" || path.startsWith(PAGE_PATH);
}

/** For the routes that take a whole snapshot or fixture. Larger ones are read from files instead. */
const MAX_FIXTURE_BYTES = 32 * 1_048_576;

/**
 * The maximum length of a body sent to this path, in bytes.
 * @param mayControl whether the request may use control routes, of which some take long bodies
 */
export function maxBodyOf(path: string, mayControl = true): number {
  const takesFixture = path === `${CONTROL_PATH}/snapshot` || path === `${CONTROL_PATH}/seed`;
  if (takesFixture && mayControl) return MAX_FIXTURE_BYTES;
  return versions[versionAt(path) ?? "v1"].maxBodyBytes;
}
