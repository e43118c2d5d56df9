/** The games of this server, asked for once. */

import type { GameInfo } from "../api/generated";
import { server } from "../api/api";
import { localize } from "../settings.svelte";

class Games {
  list = $state.raw<GameInfo[]>([]);
  private asked = false;

  load(): void {
    if (this.asked) return;
    this.asked = true;
    server
      .games()
      .then((list) => (this.list = list))
      .catch(() => (this.asked = false));
  }

  one(name: string): GameInfo | undefined {
    this.load();
    return this.list.find(
      (game) => game.name === name || game.tables.some((table) => table.name === name),
    );
  }

  /** What a game is called; nothing until that is known, and its short name if it is not here. */
  title(name: string): string {
    return localize(this.one(name)?.title) || (this.list.length ? name : "");
  }
}

export const games = new Games();
