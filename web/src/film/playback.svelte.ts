/** Where a viewer is in a bout: which step, playing or not, following a live one. */

import { untrack } from "svelte";
import { settings } from "../settings.svelte";
import { Reel } from "./reel";
import type { BoardShape, BoutEnd, FilmInfo, FilmStep } from "../api/generated";

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];

/** Playing never draws more often than this; faster means several steps at once. */
const MIN_INTERVAL_MS = 16;

export class Playback {
  film = $state.raw<FilmInfo>(undefined!);
  reel = $state.raw<Reel>(undefined!);
  /** The number of steps; it grows while a bout is live. */
  length = $state(0);
  end = $state.raw<BoutEnd | null>(null);
  /** The rest of a bout that is over is yet to be revealed. */
  withheld = $state(false);
  step = $state(0);
  playing = $state(false);
  /** At the newest position of a bout under way, and as it ended until a person steps away. */
  following = $state(false);
  /** Rises when what is known of a step changes afterwards. */
  revision = $state(0);
  /** The last step was drawn before the server played it. */
  private anticipated = false;
  /** Milliseconds of a step at speed 1; the skin says it. */
  pace = 700;
  /** What is laid over the board, by who draws it: an analysis, or notes of bots. */
  private drawings = $state.raw<Record<string, readonly BoardShape[]>>({});
  private timer = 0;
  private due = 0;

  constructor(film: FilmInfo, step: number | null) {
    this.load(film, step);
  }

  /** Another film in this player's place, for instance after an undo. */
  load(film: FilmInfo, step: number | null): void {
    this.film = film;
    this.reel = new Reel(film);
    this.length = this.reel.length;
    this.end = film.end;
    this.anticipated = false;
    this.following = step === null && film.end === null;
    this.step = this.following ? this.length : Math.min(step ?? 0, this.length);
  }

  /** Shows a bout as it is now, over or under way. */
  showLatest(): void {
    this.step = this.length;
    this.following = true;
  }

  /** Draws a step that the server has yet to play. */
  anticipate(step: FilmStep): void {
    this.withdraw();
    this.add(step);
    this.anticipated = true;
  }

  /** Takes back a step that the server did not play after all. */
  withdraw(): void {
    if (!this.anticipated) return;
    this.anticipated = false;
    this.reel.removeLast();
    this.length = this.reel.length;
    this.step = Math.min(this.step, this.length);
  }

  /** The server has played the step that was anticipated; false if it was another one. */
  confirm(n: number, step: FilmStep): boolean {
    if (!this.anticipated || n !== this.length || !this.reel.replaceLast(step)) return false;
    this.anticipated = false;
    this.revision++;
    return true;
  }

  add(step: FilmStep): void {
    this.reel.append(step);
    this.length = this.reel.length;
    if (this.following) this.step = this.length;
  }

  /** A person has taken another name. */
  rename(seat: number, name: string): void {
    const { players } = this.film;
    if (!players[seat] || players[seat].name === name) return;
    const renamed = players.map((player, n) => (n === seat ? { ...player, name } : player));
    this.film = { ...this.film, players: renamed };
  }

  /** Makes more of a film known whose beginning was loaded: so many steps, and with the last of them
   * how it ended. */
  reveal(film: FilmInfo, steps: number): void {
    for (const step of film.steps.slice(this.length, steps)) this.add(step);
    this.withheld = this.length < film.steps.length;
    if (!this.withheld) this.end = film.end;
  }

  finish(end: BoutEnd): void {
    this.end = end;
  }

  /** Replaces the shapes of `source` over the current position; none removes them. */
  draw(source: string, shapes: readonly BoardShape[]): void {
    const others = untrack(() => this.drawings); // an effect that draws must not wait for itself
    this.drawings = { ...others, [source]: shapes };
  }

  get shapes(): readonly BoardShape[] {
    return Object.values(this.drawings).flat();
  }

  get live(): boolean {
    return this.end === null && !this.withheld;
  }

  get atEnd(): boolean {
    return this.step >= this.length;
  }

  /** Milliseconds between two steps while playing. */
  get interval(): number {
    return this.pace / settings.speed;
  }

  seek(step: number): void {
    this.step = Math.max(0, Math.min(Math.round(step), this.length));
    this.following = this.live && this.atEnd;
  }

  /** A step by hand: it stops playing. */
  move(by: number): void {
    this.pause();
    this.seek(this.step + by);
  }

  jump(step: number): void {
    this.pause();
    this.seek(step);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.atEnd && !this.live) this.seek(0);
    this.playing = true;
    this.due = performance.now() + this.interval;
    this.wait();
  }

  pause(): void {
    this.playing = false;
    clearTimeout(this.timer);
  }

  follow(): void {
    this.pause();
    this.seek(this.length);
  }

  private wait(): void {
    clearTimeout(this.timer);
    const now = performance.now();
    this.timer = window.setTimeout(
      () => this.tick(),
      Math.max(this.due - now, MIN_INTERVAL_MS - 4),
    );
  }

  private tick(): void {
    const late = performance.now() - this.due;
    const steps = 1 + Math.floor(Math.max(late, 0) / this.interval);
    this.due += steps * this.interval;
    if (late > 1000) this.due = performance.now() + this.interval; // the tab slept
    this.seek(this.step + (late > 1000 ? 1 : steps));
    if (this.atEnd) this.pause();
    else this.wait();
  }
}
