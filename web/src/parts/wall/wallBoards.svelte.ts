/** The boards of a projector: those under way, and for a while those that have just ended. */

import type { BoutSummary } from "../../api/generated";
import { LiveBouts } from "../../api/liveBouts.svelte";
import { BoutStream } from "../../api/boutStream.svelte";

export interface WallBoardEntry {
  summary: BoutSummary;
  stream: BoutStream;
}

/** How long a board stays after its bout has ended. */
const LINGER_MS = 7000;
/** The large board changes at most this often, unless its bout is over. */
const MIN_LARGE_MS = 15_000;
/** How long the end of a bout is shown large, when others wait. */
const ENDED_LARGE_MS = 3000;
/** Before this many steps every bout looks close. */
const OPENING_STEPS = 8;

export class WallBoards {
  list = $state.raw<WallBoardEntry[]>([]);
  large = $state.raw<WallBoardEntry | null>(null);
  private readonly wall: LiveBouts;
  private readonly leaving = new Set<string>();
  private since = 0;
  private restingSince = 0;
  private readonly shown = new Set<WallBoardEntry>();
  private closed = false;
  private readonly timer: number;

  constructor(
    contest: number,
    private readonly maxBoards: number,
    private readonly delay: number,
  ) {
    this.wall = new LiveBouts(contest);
    $effect(() => this.follow(this.wall.items));
    this.timer = window.setInterval(() => this.choose(), 1000);
  }

  get live(): number {
    return this.wall.items.length;
  }

  close(): void {
    this.closed = true;
    clearInterval(this.timer);
    this.wall.close();
    for (const { stream } of this.list) stream.close();
  }

  private follow(items: BoutSummary[]): void {
    const here = new Set(items.map((item) => item.id));
    for (const one of this.list) if (!here.has(one.summary.id)) this.leave(one);
    const known = new Set(this.list.map((one) => one.summary.id));
    const room = this.maxBoards - this.list.length;
    const fresh = items.filter((item) => !known.has(item.id)).slice(0, Math.max(room, 0));
    if (!fresh.length) return;
    this.list = [
      ...this.list,
      ...fresh.map((summary) => ({ summary, stream: this.watch(summary.id) })),
    ];
  }

  private watch(id: string): BoutStream {
    return new BoutStream(`/ws/film/${encodeURIComponent(id)}`, null, this.delay, true);
  }

  private leave(one: WallBoardEntry): void {
    const { id } = one.summary;
    if (this.leaving.has(id)) return;
    this.leaving.add(id);
    setTimeout(() => {
      if (this.closed) return;
      one.stream.close();
      this.leaving.delete(id);
      this.list = this.list.filter((other) => other !== one);
      if (this.large === one) this.large = null;
      this.shown.delete(one);
      this.follow(this.wall.items);
    }, this.delay + LINGER_MS);
  }

  /** The closest bout is shown large; of bouts that were over at once, each for a moment. */
  private choose(): void {
    const now = performance.now();
    const over = !this.large || isOver(this.large);
    if (!over) this.restingSince = now;
    if (
      this.large &&
      now - (over ? this.restingSince : this.since) < (over ? ENDED_LARGE_MS : MIN_LARGE_MS)
    )
      return;
    const seen = this.list.filter((one) => one.stream.playback && one !== this.large);
    const [best] = seen
      .filter((one) => !isOver(one))
      .sort((a, b) => distance(a.stream) - distance(b.stream));
    const next = best ?? (over ? seen.find((one) => !this.shown.has(one)) : undefined);
    if (next) this.show(next, now);
  }

  private show(one: WallBoardEntry, now: number): void {
    this.large = one;
    this.since = this.restingSince = now;
    this.shown.add(one);
  }
}

export function isOver(one: WallBoardEntry): boolean {
  return !!one.stream.playback?.end;
}

/** How far apart the seats are: 0 for level, 1 for hopeless; young bouts stand behind. */
export function distance(stream: BoutStream): number {
  const scores = scoresOf(stream);
  if (!scores) return 2;
  const [first, second] = [...scores].sort((a, b) => b - a);
  const apart = Math.abs(first - second) / (Math.abs(first) + Math.abs(second) + 1);
  return apart + ((stream.playback?.length ?? 0) < OPENING_STEPS ? 1 : 0);
}

/** The score of every seat, in a game that shows one. */
export function scoresOf(stream: BoutStream): number[] | null {
  const { playback } = stream;
  const key = playback?.film.scene.charts?.[0]?.key;
  const value = key && playback ? playback.reel.counters.at(-1)?.[key] : undefined;
  return Array.isArray(value) ? value : null;
}
