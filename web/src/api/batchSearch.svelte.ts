/** A search through many bouts on the server: started by a person, and asked for until it ends. */

import type { BatchProgress, Text } from "./generated";
import { errorText } from "./client";

const POLL_MS = 1500;

export class BatchSearch<T extends { progress: BatchProgress }> {
  info = $state.raw<T | null>(null);
  /** Why it is not known how far it is, or why it was not started. */
  problem = $state.raw<Text | null>(null);
  private timer = 0;
  private closed = false;

  constructor(
    private readonly ask: () => Promise<T>,
    private readonly begin: () => Promise<T>,
  ) {
    this.take(ask);
  }

  get busy(): boolean {
    const state = this.info?.progress.state;
    return state === "waiting" || state === "running";
  }

  start(): Promise<void> {
    return this.take(this.begin);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private async take(ask: () => Promise<T>): Promise<void> {
    this.problem = null;
    try {
      const info = await ask();
      if (this.closed) return;
      this.info = info;
      this.problem = info.progress.error;
    } catch (error) {
      if (this.closed) return;
      this.problem = errorText(error);
    }
    clearTimeout(this.timer);
    if (this.busy && !this.problem)
      this.timer = window.setTimeout(() => this.take(this.ask), POLL_MS);
  }
}
