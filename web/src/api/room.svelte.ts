/** A seat in a room: everything a watcher has, and the questions put to this person. */

import { BoardInput } from "../play/input.svelte";
import type { AskMessage, ChatMessage, SeatPresence, ServerMessage } from "./generated";
import { localize } from "../settings.svelte";
import { BoutStream } from "./boutStream.svelte";

/** Something that was said, and when. */
export type ChatLine = Omit<ChatMessage, "type">;

export class Room extends BoutStream {
  seat = $state<number | null>(null);
  practice = $state(false);
  paused = $state(false);
  moveRequest = $state.raw<AskMessage | null>(null);
  /** When the question came, to let its clock run. */
  requestedAt = $state(0);
  /** Whether people have a clock here. */
  timed = $state(false);
  presence = $state.raw<Record<number, boolean>>({});
  /** What people here have said, as far as it is remembered. */
  chat = $state.raw<ChatLine[]>([]);
  /** People's seats: who sits there, and whether anybody may still take it. */
  seats = $state.raw<SeatPresence[]>([]);
  /** The question to which a move was not allowed. */
  private rejected: number | null = null;
  private again = false;
  readonly input = new BoardInput((move) => this.move(move));

  constructor(id: string, token: string | null) {
    const query = token ? `?token=${encodeURIComponent(token)}` : "";
    super(`/ws/room/${encodeURIComponent(id)}${query}`, null);
  }

  move(move: string): void {
    if (!this.moveRequest) return;
    if (!this.socket.send({ type: "move", n: this.moveRequest.n, move })) this.offerMoves();
  }

  command(type: "undo" | "restart" | "resign"): void {
    this.socket.send({ type });
  }

  sendChat(text: string): void {
    this.socket.send({ type: "say", text });
  }

  pause(on: boolean): void {
    this.socket.send({ type: "pause", on });
  }

  protected override receive(message: ServerMessage): void {
    switch (message.type) {
      case "seat":
        this.seat = message.seat;
        this.practice = message.practice;
        return;
      case "said":
        return this.addChat(message);
      case "pause":
        this.paused = message.on;
        return;
      case "ask":
        this.again = message.n === this.rejected;
        this.moveRequest = message;
        this.requestedAt = performance.now();
        this.timed = message.limit !== null;
        this.problem = null;
        return this.offerMoves();
      case "illegal":
        this.rejected = this.moveRequest?.n ?? null;
        return this.input.explain(`${message.move}: ${localize(message.why)}`);
      case "presence":
        this.presence = Object.fromEntries(message.seats.map((one) => [one.seat, one.connected]));
        this.seats = message.seats;
        return;
      case "step":
      case "end":
      case "restart":
      case "film":
        this.clearMoveRequest();
    }
    super.receive(message);
  }

  /** After a lost connection the server says again what was said before. */
  private addChat({ who, text, at }: ChatLine): void {
    const known = this.chat.some((one) => one.who === who && one.text === text && one.at === at);
    if (!known) this.chat = [...this.chat, { who, text, at }];
  }

  private offerMoves(): void {
    if (!this.moveRequest || !this.playback) return;
    this.input.enable(
      this.playback.reel,
      this.moveRequest.seat,
      this.moveRequest.gestures,
      this.again,
    );
  }

  private clearMoveRequest(): void {
    this.moveRequest = null;
    this.input.disable();
  }
}
