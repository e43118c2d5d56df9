/** Opening files: sends them to the server and shows the first bout that it reads from them. */

import type { BoutSummary, Text } from "../api/generated";
import { router } from "../router.svelte";
import { films } from "../api/api";
import { errorText } from "../api/client";
import type { ChosenFile } from "./chosenFiles";

class RecordOpener {
  busy = $state(false);
  problem = $state.raw<Text | null>(null);
  /** What was opened last. */
  films = $state.raw<BoutSummary[]>([]);

  async open(files: ChosenFile[]): Promise<void> {
    if (!files.length || this.busy) return;
    this.busy = true;
    this.problem = null;
    try {
      this.films = (await films.open(files)).films;
      if (this.films.length) router.go(`/watch/${this.films[0].id}`);
    } catch (error) {
      this.problem = errorText(error);
    } finally {
      this.busy = false;
    }
  }
}

export const recordOpener = new RecordOpener();
