/** The connection to a seminar: what its leader shows, to whom. */

import type { SeminarView, ServerMessage, Text } from "./generated";
import { Socket } from "./socket.svelte";

export class SeminarStream {
  /** What the leader shows; null until the server has said it. */
  view = $state.raw<SeminarView | null>(null);
  followers = $state(0);
  /** Whether the leader is there. */
  led = $state(true);
  /** Why the seminar cannot be shown, or what the server refused. */
  problem = $state.raw<Text | null>(null);
  readonly socket: Socket;

  constructor(code: string) {
    this.socket = new Socket(`/ws/seminar/${encodeURIComponent(code)}`, (message) =>
      this.receive(message),
    );
  }

  /** The leader's part: shows a view to all who follow. */
  show(view: SeminarView): void {
    this.socket.send(view);
  }

  close(): void {
    this.socket.close();
  }

  private receive(message: ServerMessage): void {
    if (message.type === "error") this.problem = message.error;
    if (message.type !== "seminar") return;
    this.view = message.view;
    this.followers = message.followers;
    this.led = message.led;
    this.problem = null;
  }
}
