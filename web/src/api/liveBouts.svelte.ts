/** The bouts of a contest that are under way. */

import type { Summary } from "./types";
import { Socket } from "./socket.svelte";

export class LiveBouts {
  items = $state.raw<Summary[]>([]);
  readonly socket: Socket<{ type: "live"; items: Summary[] }>;

  constructor(contest: number) {
    this.socket = new Socket(`/ws/wall/${contest}`, (message) => {
      if (message.type === "live") this.items = message.items;
    });
  }

  close(): void {
    this.socket.close();
  }
}
