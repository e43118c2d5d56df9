/** Opening files: sends them to the server and shows the first bout that it reads from them. */

import type { Summary, Text } from "../film/types";
import { router } from "../router.svelte";
import { api, Refusal } from "./api";
import type { Chosen } from "./files";

class Opener {
  busy = $state(false);
  problem = $state.raw<Text | null>(null);
  /** What was opened last. */
  films = $state.raw<Summary[]>([]);

  async open(files: Chosen[]): Promise<void> {
    if (!files.length || this.busy) return;
    this.busy = true;
    this.problem = null;
    try {
      const { films } = await api.open(files);
      this.films = films;
      if (films.length) router.go(`/watch/${films[0].id}`);
    } catch (error) {
      this.problem = error instanceof Refusal ? error.text : { en: String(error), zh: String(error) };
    } finally {
      this.busy = false;
    }
  }
}

export const opener = new Opener();
