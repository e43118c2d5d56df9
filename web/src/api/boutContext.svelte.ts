/** The stored bout behind a film: known at once, or some time after a bout under way has ended. */

import { bots } from "./api";
import type { BoutRow } from "./types";

const EVERY = 1000;
/** A result waits a little until it is stored; after this long it will not be. */
const TRIES = 40;

export class Belonging {
  bout = $state.raw<BoutRow | null>(null);
  private timer = 0;

  constructor(
    film: string,
    private readonly over: () => boolean,
  ) {
    const stored = /^bout-(\d+)$/.exec(film)?.[1];
    if (stored) void this.take(() => bots.bout(Number(stored)));
    else if (/^contest\d+-/.test(film))
      this.timer = window.setInterval(() => void this.look(film), EVERY);
  }

  close(): void {
    clearInterval(this.timer);
  }

  private tries = 0;

  private async look(film: string): Promise<void> {
    if (!this.over()) return;
    if (++this.tries > TRIES || (await this.take(() => bots.became(film)))) this.close();
  }

  /** What nobody may see, or is not there yet, is left out. */
  private async take(fetch: () => Promise<BoutRow>): Promise<boolean> {
    this.bout = await fetch().catch(() => this.bout);
    return this.bout !== null;
  }
}
