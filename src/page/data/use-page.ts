import { useEffect, useRef, useState } from "preact/hooks";
import type { Client } from "./client.ts";
import type { KeyPage, Listing } from "./interfaces.ts";
import { isAborted, linesOf } from "./refused.ts";

/** The cursors of the pages up to this one; empty for the first page. */
type Cursors = readonly string[];

const START: Cursors = [];

interface Shown {
  readonly page: KeyPage | undefined;
  readonly lines: readonly string[];
  /** The cursors that led to this page; another page may have been requested since. */
  readonly cursors: Cursors;
}

const nothing: Shown = { page: undefined, lines: [], cursors: START };

export interface Paging extends Pick<Shown, "page" | "lines"> {
  /** Number of the page that is shown, counted from 1. */
  readonly number: number;
  readonly isLoading: boolean;
  /** Undefined on the last page. */
  readonly toNext: (() => void) | undefined;
  readonly toPrevious: (() => void) | undefined;
  /** Goes to the page at a cursor. */
  jump(cursor: string): void;
  /** Loads the page again and bypasses cached lists. */
  reload(): void;
}

/**
 * Pages through a list with the cursors that the service returns. Starts over when another list is
 * chosen, and loads the same page again when the emulator changes.
 */
export function usePage(
  client: Client,
  listing: Omit<Listing, "cursor" | "isFresh">,
  revision: number,
): Paging {
  const { apiId, decrypt, externalId = "", isSeen, limit, version } = listing;
  const list = JSON.stringify([client.token, version, apiId, externalId, limit]);
  const [position, setPosition] = useState({ list, cursors: START });
  const [shown, setShown] = useState(nothing);
  const [isLoading, setLoading] = useState(false);
  const [reloads, setReloads] = useState(0);
  const answeredReloads = useRef(0);
  // Cursors of another list are ignored.
  const cursors = position.list === list ? position.cursors : START;
  const cursor = cursors.at(-1);

  // Key values must not stay on the screen after `decrypt` is switched off.
  useEffect(() => setShown(nothing), [list, decrypt]);
  // Calls that the journal records are made only when the user asks for them, not at each change.
  const seenRevision = isSeen ? 0 : revision;
  useEffect(() => {
    const end = new AbortController();
    setLoading(true);
    setShown((before) => ({ ...before, lines: [] }));
    const isFresh = reloads !== answeredReloads.current;
    answeredReloads.current = reloads;
    client
      .list({ ...listing, cursor, isFresh }, end.signal)
      .then((page) => {
        if (!end.signal.aborted) setShown({ page, lines: [], cursors });
      })
      .catch((error: unknown) => {
        if (!isAborted(error)) setShown({ page: undefined, lines: linesOf(error), cursors });
      })
      .finally(() => {
        if (!end.signal.aborted) setLoading(false);
      });
    return () => end.abort();
  }, [list, cursors, decrypt, isSeen, seenRevision, reloads]);

  const next = shown.page?.cursor;
  const go = (to: Cursors) => () => {
    // Ignores a second click while the next page is loading.
    if (shown.cursors === cursors) setPosition({ list, cursors: to });
  };
  return {
    page: shown.page,
    lines: shown.lines,
    number: shown.cursors.length + 1,
    isLoading,
    toNext: next === undefined ? undefined : go([...cursors, next]),
    toPrevious: cursors.length === 0 ? undefined : go(cursors.slice(0, -1)),
    jump: (to) => setPosition({ list, cursors: [to] }),
    reload: () => setReloads(reloads + 1),
  };
}
