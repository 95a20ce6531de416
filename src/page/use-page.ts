import { useEffect, useRef, useState } from "preact/hooks";
import type { ListKeysResult } from "../contract/list-keys.ts";
import type { Client, Listing } from "./client.ts";
import { isAborted, linesOf } from "./refused.ts";

interface Shown {
  readonly page: ListKeysResult | undefined;
  readonly lines: readonly string[];
}

export interface Paging extends Shown {
  /** Counted from 1. */
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
  const [walk, setWalk] = useState({ list, cursors: [] as readonly string[] });
  const [shown, setShown] = useState<Shown>({ page: undefined, lines: [] });
  const [isLoading, setLoading] = useState(false);
  const [asked, ask] = useState(0);
  const answered = useRef(0);
  // What leads to the page, of this list and no other.
  const cursors = walk.list === list ? walk.cursors : [];
  const cursor = cursors.at(-1);

  // What values stood in is not to stay when they are not asked for any more.
  useEffect(() => setShown({ page: undefined, lines: [] }), [list, decrypt]);
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
      .then((page) => setShown({ page, lines: [] }))
      .catch((error: unknown) => {
        if (!isAborted(error)) setShown({ page: undefined, lines: linesOf(error) });
      })
      .finally(() => {
        if (!end.signal.aborted) setLoading(false);
      });
    return () => end.abort();
  }, [list, cursor, decrypt, isSeen, looked, asked]);

  const next = shown.page?.cursor;
  return {
    ...shown,
    number: cursors.length + 1,
    isLoading,
    toNext: next === undefined ? undefined : () => setWalk({ list, cursors: [...cursors, next] }),
    toPrevious:
      cursors.length === 0 ? undefined : () => setWalk({ list, cursors: cursors.slice(0, -1) }),
    jump: (position) => setWalk({ list, cursors: [position] }),
    reload: () => ask(asked + 1),
  };
}
