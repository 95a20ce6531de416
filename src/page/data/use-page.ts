import { useEffect, useRef, useState } from "preact/hooks";
import type { ListKeysResult } from "../../contract/list-keys.ts";
import type { Client, Listing } from "./client.ts";
import { isAborted, linesOf } from "./refused.ts";

/** What leads to a page: the cursors of those before it. */
type Cursors = readonly string[];

const START: Cursors = [];

interface Shown {
  readonly page: ListKeysResult | undefined;
  readonly lines: readonly string[];
  /** What led to it; another page may have been asked for since. */
  readonly cursors: Cursors;
}

const nothing: Shown = { page: undefined, lines: [], cursors: START };

export interface Paging extends Pick<Shown, "page" | "lines"> {
  /** Of the page that is shown, counted from 1. */
  readonly number: number;
  readonly isLoading: boolean;
  /** Undefined where there is none. */
  readonly toNext: (() => void) | undefined;
  readonly toPrevious: (() => void) | undefined;
  /** To the page that a cursor leads to. */
  jump(cursor: string): void;
  /** Reads it again, past a list that is cached. */
  reload(): void;
}

/**
 * Walks through a list with the cursors that the service returns. It starts over when what is
 * listed changes, and looks again at the same page when the emulator has.
 */
export function usePage(
  client: Client,
  listing: Omit<Listing, "cursor" | "isFresh">,
  revision: number,
): Paging {
  const { apiId, decrypt, externalId = "", isSeen, limit } = listing;
  const list = JSON.stringify([client.token, apiId, externalId, limit]);
  const [walk, setWalk] = useState({ list, cursors: START });
  const [shown, setShown] = useState(nothing);
  const [isLoading, setLoading] = useState(false);
  const [asked, ask] = useState(0);
  const answered = useRef(0);
  // Of this list and no other.
  const cursors = walk.list === list ? walk.cursors : START;
  const cursor = cursors.at(-1);

  // What values stood in is not to stay when they are not asked for any more.
  useEffect(() => setShown(nothing), [list, decrypt]);
  // A call that others see is made when somebody asks for it, and not by itself.
  const looked = isSeen ? 0 : revision;
  useEffect(() => {
    const end = new AbortController();
    setLoading(true);
    setShown((before) => ({ ...before, lines: [] }));
    const isFresh = asked !== answered.current;
    answered.current = asked;
    client
      .list({ apiId, cursor, decrypt, externalId, isFresh, isSeen, limit }, end.signal)
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
  }, [list, cursors, decrypt, isSeen, looked, asked]);

  const next = shown.page?.cursor;
  const go = (to: Cursors) => () => {
    // A second click does not go on from a page that is about to go.
    if (shown.cursors === cursors) setWalk({ list, cursors: to });
  };
  return {
    page: shown.page,
    lines: shown.lines,
    number: shown.cursors.length + 1,
    isLoading,
    toNext: next === undefined ? undefined : go([...cursors, next]),
    toPrevious: cursors.length === 0 ? undefined : go(cursors.slice(0, -1)),
    jump: (position) => setWalk({ list, cursors: [position] }),
    reload: () => ask(asked + 1),
  };
}
