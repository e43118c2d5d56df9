/** The bouts of a contest that are under way. */

import type { BoutSummary } from "./generated";
import { Socket } from "./socket.svelte";

export class LiveBouts {
  items = $state.raw<BoutSummary[]>([]);
  readonly socket: Socket;

  constructor(contest: number) {
    this.socket = new Socket(`/ws/wall/${contest}`, (message) => {
      if (message.type === "live") this.items = message.items;
    });
  }

  close(): void {
    this.socket.close();
  }
}
