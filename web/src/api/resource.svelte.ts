/** Things that are asked of the server: on their way, there, or refused. */

import type { Text } from "./generated";
import { ApiError, errorText } from "./client";

/** An answer that can be asked for again; the old one is shown meanwhile. */
export class Resource<T> {
  value = $state.raw<T | null>(null);
  problem = $state.raw<Text | null>(null);
  /** The server does not have it for this reader: trying again cannot help. */
  missing = $state(false);
  private asked = 0;

  /** Asks at once, or with `now` false when it is reloaded first. */
  constructor(
    private fetch: () => Promise<T>,
    now = true,
  ) {
    if (now) void this.reload();
  }

  /** Asks again, perhaps something else; of several answers the last asked for counts. */
  async reload(fetch: () => Promise<T> = this.fetch): Promise<void> {
    this.fetch = fetch;
    const turn = ++this.asked;
    try {
      const value = await fetch();
      if (turn !== this.asked) return;
      this.value = value;
      this.problem = null;
      this.missing = false;
    } catch (error) {
      if (turn !== this.asked) return;
      this.problem = errorText(error);
      this.missing = error instanceof ApiError && [403, 404].includes(error.status);
    }
  }
}

/** Something a person does: one at a time, and what the server has against it. */
export class Action {
  busy = $state(false);
  problem = $state.raw<Text | null>(null);
  /** Which kind of refusal it was. */
  code = $state("");

  /** Whether it was done. */
  async run(act: () => Promise<unknown>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.problem = null;
    this.code = "";
    try {
      await act();
      return true;
    } catch (error) {
      this.problem = errorText(error);
      this.code = error instanceof ApiError ? error.code : "";
      return false;
    } finally {
      this.busy = false;
    }
  }
}
