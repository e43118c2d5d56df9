/** A seat in a room: everything a watcher has, and the questions put to this person. */

import { BoardInput } from "../play/input.svelte";
import type { Gesture, Text } from "./types";
import { localize } from "../settings.svelte";
import { BoutStream, type StreamMessage } from "./boutStream.svelte";

interface MoveRequest {
  n: number;
  seat: number;
  gestures: Gesture[];
  legal: string[] | null;
  left: number[] | null;
  limit: number | null;
}

export interface SeatInfo {
  seat: number;
  connected: boolean;
  name: string;
  kind?: string;
  open?: boolean;
}

export interface ChatMessage {
  who: string;
  text: string;
  at: string;
}

type RoomMessage =
  | StreamMessage
  | { type: "seat"; seat: number | null; practice?: boolean }
  | ({ type: "said" } & ChatMessage)
  | { type: "pause"; on: boolean }
  | ({ type: "ask" } & MoveRequest)
  | { type: "illegal"; move: string; why: Text }
  | { type: "presence"; seats: SeatInfo[] };

export class Room extends BoutStream {
  seat = $state<number | null>(null);
  practice = $state(false);
  paused = $state(false);
  moveRequest = $state.raw<MoveRequest | null>(null);
  /** When the question came, to let its clock run. */
  requestedAt = $state(0);
  /** Whether people have a clock here. */
  timed = $state(false);
  presence = $state.raw<Record<number, boolean>>({});
  /** What people here have said, as far as it is remembered. */
  chat = $state.raw<ChatMessage[]>([]);
  /** People's seats: who sits there, and whether anybody may still take it. */
  seats = $state.raw<SeatInfo[]>([]);
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

  protected override receive(message: RoomMessage): void {
    switch (message.type) {
      case "seat":
        this.seat = message.seat;
        this.practice = message.practice ?? this.practice;
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
  private addChat({ who, text, at }: ChatMessage): void {
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
