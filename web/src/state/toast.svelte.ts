/** A sentence that appears for a while: something was done, or something is new. */

import type { Text } from "../api/types";

const SHOWN = 6000;

class Toast {
  text = $state.raw<Text | null>(null);
  link = $state<string | null>(null);
  private timer = 0;

  say(text: Text, link: string | null = null): void {
    this.text = text;
    this.link = link;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.close(), SHOWN);
  }

  close(): void {
    this.text = null;
  }
}

export const toast = new Toast();
