import { useEffect, useState } from "preact/hooks";
import { isAborted, linesOf } from "./refused.ts";

/** The cursors of the pages up to this one; empty for the first page. */
type Cursors = readonly string[];

const START: Cursors = [];

/** The part of a page that paging needs. */
interface AnyPage {
  /** Undefined on the last page. */
  readonly cursor: string | undefined;
}

/** A list that is read page by page. */
interface Source<Page> {
  /** Identifies the list. Another list starts at its first page. */
  readonly list: string;
  /** @param cursor undefined for the first page */
  read(cursor: string | undefined, signal: AbortSignal): Promise<Page>;
}

interface Shown<Page> {
  readonly page: Page | undefined;
  readonly lines: readonly string[];
  /** The cursors that led to this page; another page may have been requested since. */
  readonly cursors: Cursors;
}

const nothing: Shown<never> = { page: undefined, lines: [], cursors: START };

export interface Paging<Page> extends Pick<Shown<Page>, "page" | "lines"> {
  /** Number of the page that is shown, counted from 1. */
  readonly number: number;
  readonly isLoading: boolean;
  /** Undefined on the last page. */
  readonly toNext: (() => void) | undefined;
  readonly toPrevious: (() => void) | undefined;
  /** Loads the page again. */
  reload(): void;
}

/**
 * Pages through a list with the cursors that the service returns. Starts over when another list is
 * chosen, and reads the same page again when the revision is another one.
 */
export function usePage<Page extends AnyPage>(
  { list, read }: Source<Page>,
  revision: number,
): Paging<Page> {
  const [position, setPosition] = useState({ list, cursors: START });
  const [shown, setShown] = useState<Shown<Page>>(nothing);
  const [isLoading, setLoading] = useState(false);
  const [reloads, setReloads] = useState(0);
  // Cursors of another list are ignored.
  const cursors = position.list === list ? position.cursors : START;

  useEffect(() => setShown(nothing), [list]);
  useEffect(() => {
    const end = new AbortController();
    setLoading(true);
    setShown((before) => ({ ...before, lines: [] }));
    read(cursors.at(-1), end.signal)
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
  }, [list, cursors, revision, reloads]);

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
    reload: () => setReloads(reloads + 1),
  };
}
