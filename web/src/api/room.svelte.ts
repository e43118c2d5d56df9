/** A seat in a room: everything a watcher has, and the questions put to this person. */

import { motion } from "../board/motion";
import { BoardInput } from "../play/input.svelte";
import { playEndSound, playStepSound } from "../play/sound";
import { localize, settings } from "../settings.svelte";
import { skinOf } from "../skins";
import type {
  AskMessage,
  ChatMessage,
  FilmStep,
  ProposalInfo,
  RoomClosedMessage,
  SeatPresence,
  ServerMessage,
} from "./generated";
import { BoutStream } from "./boutStream.svelte";

/** Something that was said, and when. */
export type ChatLine = Omit<ChatMessage, "type">;

/** Milliseconds that a step may take to be shown; where a clock runs, nothing may wait for long. */
const UNHURRIED_MS = 1600;
const HURRIED_MS = 450;
/** The part of that time in which pieces move. */
const MOVING_SHARE = 0.85;

export class Room extends BoutStream {
  seat = $state<number | null>(null);
  practice = $state(false);
  paused = $state(false);
  moveRequest = $state.raw<AskMessage | null>(null);
  /** When the question came, to let its clock run. */
  requestedAt = $state(0);
  /** Whether people have a clock here. */
  timed = $state(false);
  presence = $state.raw<Record<number, SeatPresence>>({});
  /** What people here have said, as far as it is remembered. */
  chat = $state.raw<ChatLine[]>([]);
  /** People's seats: who sits there, and whether anybody may still take it. */
  seats = $state.raw<SeatPresence[]>([]);
  /** What somebody here asks the others. */
  proposal = $state.raw<ProposalInfo | null>(null);
  /** The room in which the same people play again. */
  rematch = $state<string | null>(null);
  /** Whether that room was opened while this person was here: they go there by themselves. */
  rematchBegins = $state(false);
  /** Whether the others did not agree to what this person asked last. */
  declined = $state(false);
  /** Why there is no such room any more. */
  closed = $state.raw<RoomClosedMessage | null>(null);
  /** What my moves lead to, by move. */
  previews = $state.raw<Record<string, FilmStep>>({});
  /** The question that was answered last, until the server has taken the answer. */
  private answered: AskMessage | null = null;
  /** The question to which a move was not allowed. */
  private rejected: number | null = null;
  private again = false;
  /** How often the server has let this page in: more than once after a lost connection. */
  private arrivals = 0;
  /** Messages that wait until what came before them has been shown. */
  private readonly waiting: ServerMessage[] = [];
  private shownAt = 0;
  private timer = 0;
  readonly input = new BoardInput((move) => this.move(move));

  constructor(id: string, token: string | null) {
    const query = token ? `?token=${encodeURIComponent(token)}` : "";
    super(`/ws/room/${encodeURIComponent(id)}${query}`, null, 0, true);
  }

  override close(): void {
    clearTimeout(this.timer);
    super.close();
  }

  /** Whether another person waits for an answer: until then nothing can be asked of them. */
  get mustAnswer(): boolean {
    return this.proposal !== null && this.proposal.seat !== this.seat;
  }

  /** Milliseconds that the board may take to show a step. */
  get interval(): number {
    return this.timed ? HURRIED_MS : UNHURRIED_MS;
  }

  /** Plays a move: it is drawn at once where the server has said what it leads to. */
  move(move: string): void {
    const { moveRequest: ask, playback } = this;
    if (!ask) return;
    if (!this.socket.send({ type: "move", n: ask.n, move })) return this.offerMoves();
    this.moveRequest = null;
    this.answered = ask;
    this.input.disable();
    const preview = this.previews[move];
    if (!preview || !playback?.following || ask.n !== playback.length) return;
    playback.anticipate(preview);
    this.onShown(preview);
  }

  command(type: "undo" | "restart" | "resign" | "accept" | "decline"): void {
    this.problem = null;
    this.socket.send({ type });
  }

  /** Asks for another bout, with the sides swapped or against another house bot. */
  playAgain(swap: boolean, bot = ""): void {
    this.problem = null;
    this.socket.send({ type: "rematch", swap, bot });
  }

  sendChat(text: string): void {
    this.socket.send({ type: "say", text });
  }

  pause(on: boolean): void {
    this.problem = null;
    this.socket.send({ type: "pause", on });
  }

  protected override receive(message: ServerMessage): void {
    if (this.waiting.length || (this.isPlay(message) && this.shownAt > performance.now())) {
      this.waiting.push(message);
      this.resumeLater();
    } else {
      this.handle(message);
    }
  }

  /** What must not be shown before the last step has been: the next one, and what follows it. */
  private isPlay(message: ServerMessage): boolean {
    if (message.type === "end") return true;
    const mine = message.type === "step" && message.n === this.playback?.length;
    return message.type === "step" && !mine;
  }

  private resumeLater(): void {
    clearTimeout(this.timer);
    const wait = Math.max(this.shownAt - performance.now(), 0);
    this.timer = window.setTimeout(() => {
      while (this.waiting.length) {
        if (this.isPlay(this.waiting[0]) && this.shownAt > performance.now())
          return this.resumeLater();
        this.handle(this.waiting.shift()!);
      }
    }, wait);
  }

  private handle(message: ServerMessage): void {
    switch (message.type) {
      case "seat":
        this.seat = message.seat;
        this.practice = message.practice;
        this.arrivals++;
        return;
      case "said":
        return this.addChat(message);
      case "pause":
        this.paused = message.on;
        return;
      case "ask":
        return this.onQuestion(message);
      case "preview":
        if (message.n === this.moveRequest?.n) this.previews = message.steps;
        return;
      case "proposal":
        this.declined = message.declined && this.proposal?.seat === this.seat;
        this.proposal = message.proposal;
        return;
      case "rematch":
        this.rematchBegins = !message.earlier || (this.arrivals > 1 && this.rematch === null);
        this.rematch = message.room;
        return;
      case "saved":
        this.saved = message.id;
        return;
      case "closed":
        this.playback?.withdraw();
        this.clearMoveRequest();
        this.closed = message;
        return;
      case "illegal":
        this.rejected = this.answered?.n ?? null;
        this.answered = null;
        this.playback?.withdraw();
        return this.input.explain(`${message.move}: ${localize(message.why)}`);
      case "error":
        if (message.stopped) this.clearMoveRequest();
        this.takeAnswerBack();
        break;
      case "presence":
        this.presence = Object.fromEntries(message.seats.map((one) => [one.seat, one]));
        this.seats = message.seats;
        return this.showNames();
      case "step":
        this.declined = false;
        this.clearMoveRequest();
        return this.showStep(message);
      case "end":
        this.declined = false;
        this.clearMoveRequest();
        this.input.forgetEarly();
        playEndSound(this.seat === null ? null : (message.end.scores[this.seat] ?? null));
        break;
      case "restart":
        this.saved = null;
        this.declined = false;
        this.clearMoveRequest();
        this.input.forgetEarly();
        break;
      case "film":
        this.clearMoveRequest();
        this.input.forgetEarly();
    }
    super.receive(message);
    if (message.type === "film" || message.type === "restart") this.showNames();
  }

  /** People may have taken other names since the film began. */
  private showNames(): void {
    for (const { seat, name, open } of this.seats) if (!open) this.playback?.rename(seat, name);
  }

  private onQuestion(message: AskMessage): void {
    this.again = message.n === this.rejected;
    this.rejected = null;
    this.moveRequest = message;
    this.requestedAt = performance.now();
    this.timed = message.limit !== null;
    this.problem = null;
    this.offerMoves();
  }

  /** The server did not take the answer: the question stands again. */
  private takeAnswerBack(): void {
    this.playback?.withdraw();
    if (!this.answered) return;
    this.moveRequest = this.answered;
    this.answered = null;
    this.offerMoves();
  }

  private showStep(message: Extract<ServerMessage, { type: "step" }>): void {
    const before = this.playback?.length;
    super.receive(message);
    if (this.playback?.length !== before) this.onShown(message.step);
  }

  /** A step appears now: later ones wait until its pieces have moved. */
  private onShown(step: FilmStep): void {
    const { playback } = this;
    if (!playback?.following) return;
    playStepSound(step.events);
    const { reel, film, length } = playback;
    const skin = skinOf(film.game.name, settings.skinOf(film.game.name));
    if (!settings.animate || !skin.animated || document.hidden) return;
    const { duration } = motion(reel, reel.at(length - 1), reel.at(length));
    this.shownAt = performance.now() + Math.min(duration, this.interval * MOVING_SHARE);
  }

  /** After a lost connection the server says again what was said before. */
  private addChat({ who, text, at }: ChatLine): void {
    const known = this.chat.some((one) => one.who === who && one.text === text && one.at === at);
    if (!known) this.chat = [...this.chat, { who, text, at }];
  }

  private offerMoves(): void {
    if (!this.moveRequest || !this.playback) return;
    const { name } = this.playback.film.game;
    this.input.refusal = skinOf(name, settings.skinOf(name)).refusal;
    this.input.enable(
      this.playback.reel,
      this.moveRequest.seat,
      this.moveRequest.gestures,
      this.again,
    );
  }

  private clearMoveRequest(): void {
    this.moveRequest = null;
    this.answered = null;
    this.previews = {};
    this.input.disable();
  }
}
