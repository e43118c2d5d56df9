/** Long lists of the server, page by page. */

import type { Page } from "./api";
import type { Text } from "./generated";
import { errorText } from "./client";

type Cursor = string | number | null;
export type FetchPage<T> = (before: Cursor) => Promise<FoundPage<T>>;

/** A page that may say how many there are of them all. */
interface FoundPage<T> extends Page<T> {
  count?: number | null;
  more_than_count?: boolean;
}

/** What was read of a list so far: nothing yet, some pages, or all; and whether reading failed. */
export class PagedList<T extends { id: string | number }> {
  items = $state.raw<T[]>([]);
  problem = $state.raw<Text | null>(null);
  loaded = $state(false);
  busy = $state(false);
  pages = $state(0);
  next = $state.raw<Cursor>(null);
  /** How many there are, if the server counted them; `null` if not. */
  count = $state<number | null>(null);
  /** Whether there are more than `count`. */
  uncounted = $state(false);
  private asked = 0;

  constructor(private fetch: FetchPage<T> | null = null) {
    if (fetch) void this.reload();
  }

  /** Reads the first page, perhaps of another list; of several answers the last asked for counts. */
  async reload(fetch: FetchPage<T> | null = this.fetch): Promise<void> {
    this.fetch = fetch;
    await this.read(null, (page) => {
      this.items = page.items;
      this.next = page.next;
      this.pages = 1;
    });
  }

  /** Reads the next page; after a failure the first one, if there is none yet. */
  async more(): Promise<void> {
    if (!this.pages) return this.reload();
    await this.read(this.next, (page) => {
      this.items = [...this.items, ...page.items];
      this.next = page.next;
      this.pages++;
    });
  }

  /** Adds what is new; the pages that were read stay. */
  async refresh(): Promise<void> {
    if (this.pages < 2) return this.reload();
    await this.read(null, (page) => {
      const known = new Set(this.items.map(({ id }) => id));
      const fresh = page.items.filter(({ id }) => !known.has(id));
      const changed = new Map(page.items.map((item) => [item.id, item]));
      this.items = [...fresh, ...this.items.map((item) => changed.get(item.id) ?? item)];
    });
  }

  private async read(before: Cursor, take: (page: FoundPage<T>) => void): Promise<void> {
    if (!this.fetch) return;
    const turn = ++this.asked;
    this.busy = true;
    try {
      const page = await this.fetch(before);
      if (turn !== this.asked) return;
      take(page);
      if (page.count != null) {
        this.count = page.count;
        this.uncounted = page.more_than_count ?? false;
      }
      this.problem = null;
    } catch (error) {
      if (turn !== this.asked) return;
      this.problem = errorText(error);
    }
    this.loaded = true;
    this.busy = false;
  }
}

/** A class of two hundred is shown at once. */
const LOCAL_PAGE = 250;

/** A list that the server sends as a whole, or that the page has already, shown in pages all the
 * same: thousands of rows at once would make it slow. Read again, it shows as many as before. */
export function inPages<T>(source: T[] | (() => Promise<T[]>), size = LOCAL_PAGE): FetchPage<T> {
  let all: T[] = [];
  let shown = size;
  return async (before) => {
    if (before === null) all = Array.isArray(source) ? source : await source();
    else shown = Number(before) + size;
    return {
      items: all.slice(Number(before ?? 0), shown),
      next: shown < all.length ? shown : null,
      count: all.length,
    };
  };
}
