/** The boards of a projector: bouts under way, and stored ones that are played again. */

import { BoutStream } from "../../api/boutStream.svelte";
import type { BoutSummary, FilmInfo } from "../../api/generated";
import { Playback } from "../../film/playback.svelte";
import { apart, type PlayedBout } from "./programme";

/** A bout on a board. */
export interface WallEntry {
  readonly id: string;
  readonly live: boolean;
  readonly game: string;
  readonly names: string[];
  readonly playback: Playback | null;
  /** Milliseconds of a step. */
  readonly interval: number;
  /** Whether it has been shown to its end. */
  readonly over: boolean;
  /** How far apart the seats are; the least is shown large. */
  readonly distance: number;
  close(): void;
}

/** Before this many steps every bout looks close. */
const OPENING_STEPS = 8;
const LIVE_INTERVAL_MS = 700;

export class LiveEntry implements WallEntry {
  readonly live = true;
  readonly interval = LIVE_INTERVAL_MS;
  private readonly stream: BoutStream;

  constructor(
    readonly summary: BoutSummary,
    delayMs: number,
  ) {
    const path = `/ws/film/${encodeURIComponent(summary.id)}`;
    this.stream = new BoutStream(path, null, delayMs, true);
  }

  get id(): string {
    return this.summary.id;
  }

  get game(): string {
    return this.summary.game.name;
  }

  get names(): string[] {
    return this.summary.players.map((player) => player.name);
  }

  get playback(): Playback | null {
    return this.stream.playback;
  }

  get over(): boolean {
    return isOver(this.playback);
  }

  get distance(): number {
    const { playback } = this;
    if (!playback) return 2;
    return distanceAt(playback, playback.length) + (playback.length < OPENING_STEPS ? 1 : 0);
  }

  close(): void {
    this.stream.close();
  }
}

/** A replay takes so long, if its moves can be followed then. */
const MAX_REPLAY_MS = 28_000;
/** Replays of very many steps take longer, with a picture for several of them. */
const MIN_STEP_MS = 15;
const MAX_LONG_REPLAY_MS = 60_000;
const MAX_STEP_MS = 900;

export class ReplayEntry implements WallEntry {
  readonly live = false;
  readonly playback: Playback;
  readonly interval: number;
  readonly distance: number;
  private startedAt = 0;

  constructor(
    readonly bout: PlayedBout,
    film: FilmInfo,
    pace: number,
  ) {
    this.playback = new Playback(film, 0);
    this.interval = stepInterval(this.playback.length) / pace;
    this.distance = meanDistance(this.playback);
  }

  get id(): string {
    return this.bout.film;
  }

  get game(): string {
    return this.playback.film.game.name;
  }

  get names(): string[] {
    return this.bout.names;
  }

  get over(): boolean {
    return isOver(this.playback);
  }

  start(now: number): void {
    this.startedAt = now;
  }

  /** Shows the step that is due. */
  advance(now: number): void {
    const step = Math.floor((now - this.startedAt) / this.interval);
    if (step > this.playback.step && !this.playback.atEnd) this.playback.seek(step);
  }

  close(): void {}
}

function isOver(playback: Playback | null): boolean {
  return !!playback?.end && playback.atEnd;
}

/** Milliseconds of a step, so that people can follow a bout of this length. */
export function stepInterval(length: number): number {
  const long = Math.min(length * MIN_STEP_MS, MAX_LONG_REPLAY_MS);
  const whole = Math.min(length * MAX_STEP_MS, Math.max(MAX_REPLAY_MS, long));
  return whole / Math.max(length, 1);
}

/** Of a game without scores, 2. */
function distanceAt({ film, reel }: Playback, step: number): number {
  const key = film.scene.charts?.[0]?.key;
  const value = key ? reel.counters[step]?.[key] : undefined;
  return Array.isArray(value) ? apart(value) : 2;
}

/** Over the second half of a bout, where close bouts are decided. */
function meanDistance(playback: Playback): number {
  const from = Math.floor(playback.length / 2);
  const stride = Math.max(1, Math.floor((playback.length - from) / 50));
  let [sum, count] = [0, 0];
  for (let step = from; step <= playback.length; step += stride, count++)
    sum += distanceAt(playback, step);
  return sum / count;
}
