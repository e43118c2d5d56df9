/** A sentence that appears for a while: something was done, or something is new. */

import type { Text } from "../api/generated";

const VISIBLE_MS = 6000;

class Toast {
  text = $state.raw<Text | null>(null);
  link = $state<string | null>(null);
  private timer = 0;

  show(text: Text, link: string | null = null): void {
    this.keep(text, link);
    this.timer = window.setTimeout(() => this.close(), VISIBLE_MS);
  }

  /** The same until it is closed: what failed, or what the reader has to copy. */
  keep(text: Text, link: string | null = null): void {
    this.text = text;
    this.link = link;
    clearTimeout(this.timer);
  }

  close(): void {
    this.text = null;
  }
}

export const toast = new Toast();
