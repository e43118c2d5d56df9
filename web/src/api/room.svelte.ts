/** A seat in a room: everything a watcher has, and the questions put to this person. */

import { Hand } from "../play/input.svelte";
import type { Gesture, Text } from "./types";
import { words } from "../settings.svelte";
import { Watching, type WatchMessage } from "./boutStream.svelte";

interface Ask {
  n: number;
  seat: number;
  gestures: Gesture[];
  legal: string[] | null;
  left: number[] | null;
  limit: number | null;
}

export interface ChairInfo {
  seat: number;
  connected: boolean;
  name: string;
  kind?: string;
  open?: boolean;
}

export interface Said {
  who: string;
  text: string;
  at: string;
}

type RoomMessage =
  | WatchMessage
  | { type: "seat"; seat: number | null; practice?: boolean }
  | ({ type: "said" } & Said)
  | { type: "pause"; on: boolean }
  | ({ type: "ask" } & Ask)
  | { type: "illegal"; move: string; why: Text }
  | { type: "presence"; seats: ChairInfo[] };

export class Room extends Watching {
  seat = $state<number | null>(null);
  practice = $state(false);
  paused = $state(false);
  ask = $state.raw<Ask | null>(null);
  /** When the question came, to let its clock run. */
  askedAt = $state(0);
  /** Whether people have a clock here. */
  timed = $state(false);
  presence = $state.raw<Record<number, boolean>>({});
  /** What people here have said, as far as it is remembered. */
  said = $state.raw<Said[]>([]);
  /** People's seats: who sits there, and whether anybody may still take it. */
  chairs = $state.raw<ChairInfo[]>([]);
  /** The question to which a move was not allowed. */
  private refused: number | null = null;
  private again = false;
  readonly hand = new Hand((move) => this.move(move));

  constructor(id: string, token: string | null) {
    const query = token ? `?token=${encodeURIComponent(token)}` : "";
    super(`/ws/room/${encodeURIComponent(id)}${query}`, null);
  }

  move(move: string): void {
    if (!this.ask) return;
    if (!this.socket.send({ type: "move", n: this.ask.n, move })) this.offer();
  }

  command(type: "undo" | "restart" | "resign"): void {
    this.socket.send({ type });
  }

  say(text: string): void {
    this.socket.send({ type: "say", text });
  }

  pause(on: boolean): void {
    this.socket.send({ type: "pause", on });
  }

  protected override hear(message: RoomMessage): void {
    switch (message.type) {
      case "seat":
        this.seat = message.seat;
        this.practice = message.practice ?? this.practice;
        return;
      case "said":
        return this.listen(message);
      case "pause":
        this.paused = message.on;
        return;
      case "ask":
        this.again = message.n === this.refused;
        this.ask = message;
        this.askedAt = performance.now();
        this.timed = message.limit !== null;
        this.problem = null;
        return this.offer();
      case "illegal":
        this.refused = this.ask?.n ?? null;
        return this.hand.explain(`${message.move}: ${words(message.why)}`);
      case "presence":
        this.presence = Object.fromEntries(message.seats.map((one) => [one.seat, one.connected]));
        this.chairs = message.seats;
        return;
      case "step":
      case "end":
      case "restart":
      case "film":
        this.answered();
    }
    super.hear(message);
  }

  /** After a lost connection the server says again what was said before. */
  private listen({ who, text, at }: Said): void {
    const known = this.said.some((one) => one.who === who && one.text === text && one.at === at);
    if (!known) this.said = [...this.said, { who, text, at }];
  }

  private offer(): void {
    if (!this.ask || !this.playback) return;
    this.hand.offer(this.playback.reel, this.ask.seat, this.ask.gestures, this.again);
  }

  private answered(): void {
    this.ask = null;
    this.hand.rest();
  }
}
