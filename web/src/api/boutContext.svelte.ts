/** The stored bout behind a film: known at once, or some time after a bout under way has ended. */

import { bots } from "./api";
import type { BoutInfo } from "./generated";

const POLL_INTERVAL_MS = 1000;
/** A result waits a little until it is stored; after this long it will not be. */
const MAX_POLLS = 40;

export class BoutContext {
  bout = $state.raw<BoutInfo | null>(null);
  private timer = 0;

  constructor(
    film: string,
    private readonly over: () => boolean,
  ) {
    const stored = /^bout-(\d+)$/.exec(film)?.[1];
    if (stored) void this.fetchBout(() => bots.bout(Number(stored)));
    else if (film.startsWith("live-"))
      this.timer = window.setInterval(() => void this.poll(film), POLL_INTERVAL_MS);
  }

  close(): void {
    clearInterval(this.timer);
  }

  private tries = 0;

  private async poll(film: string): Promise<void> {
    if (!this.over()) return;
    if (++this.tries > MAX_POLLS || (await this.fetchBout(() => bots.storedBout(film))))
      this.close();
  }

  /** Keeps what is known if the bout may not be seen or is not stored yet. */
  private async fetchBout(fetch: () => Promise<BoutInfo>): Promise<boolean> {
    this.bout = await fetch().catch(() => this.bout);
    return this.bout !== null;
  }
}
