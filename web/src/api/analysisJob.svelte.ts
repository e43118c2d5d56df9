/** The analysis of a bout on the server: started if nobody has, and followed until it is complete. */

import type { AnalysisInfo, Text } from "./generated";
import { films } from "./api";
import { errorText } from "./client";

/** The server answers when there is something new, so this only spares it; first results come at
 * once. */
const PAUSE_MS = 100;

export class AnalysisJob {
  info = $state.raw<AnalysisInfo | null>(null);
  /** Why there is no analysis, or why it is not known how far it is. */
  problem = $state.raw<Text | null>(null);
  private timer = 0;
  private closed = false;

  /** `unknown`: the server said before that it knows nothing of this bout. */
  constructor(
    private readonly film: string,
    private unknown: boolean,
  ) {
    this.start();
  }

  get busy(): boolean {
    const state = this.info?.state;
    return !this.problem && state !== "complete" && state !== "failed";
  }

  /** Asks for the analysis; what the server knows already costs nothing. */
  async start(): Promise<void> {
    this.problem = null;
    await this.take(async () => {
      const known = this.unknown ? null : await films.analysis(this.film);
      this.unknown = false;
      return !known || known.state === "none" ? films.analyse(this.film) : known;
    });
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private async take(ask: () => Promise<AnalysisInfo>): Promise<void> {
    try {
      const info = await ask();
      if (this.closed) return;
      this.info = info;
      this.problem = info.error ?? null;
    } catch (error) {
      if (this.closed) return;
      this.problem = errorText(error);
    }
    const first = this.info?.state === "waiting";
    if (this.busy) this.timer = window.setTimeout(() => this.follow(), first ? 0 : PAUSE_MS);
  }

  private follow(): void {
    this.take(() => films.analysis(this.film, this.info?.number));
  }
}
