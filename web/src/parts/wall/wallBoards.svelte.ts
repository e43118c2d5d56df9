/** The boards of a projector: those under way, and for a while those that have just ended. */

import type { Summary } from "../../api/types";
import { Wall } from "../../api/liveBouts.svelte";
import { Watching } from "../../api/boutStream.svelte";

export interface Followed {
  summary: Summary;
  watching: Watching;
}

/** How long a board stays after its bout has ended. */
const LINGER = 7000;
/** The large board changes at most this often, unless its bout is over. */
const STAY = 15_000;
/** How long the end of a bout is shown large, when others wait. */
const REST = 3000;
/** Before this many steps every bout looks close. */
const WARM = 8;

export class Boards {
  list = $state.raw<Followed[]>([]);
  large = $state.raw<Followed | null>(null);
  private readonly wall: Wall;
  private readonly leaving = new Set<string>();
  private since = 0;
  private restingSince = 0;
  private readonly shown = new Set<Followed>();
  private closed = false;
  private readonly timer: number;

  constructor(
    contest: number,
    private readonly most: number,
    private readonly delay: number,
  ) {
    this.wall = new Wall(contest);
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
    for (const { watching } of this.list) watching.close();
  }

  private follow(items: Summary[]): void {
    const here = new Set(items.map((item) => item.id));
    for (const one of this.list) if (!here.has(one.summary.id)) this.leave(one);
    const known = new Set(this.list.map((one) => one.summary.id));
    const room = this.most - this.list.length;
    const fresh = items.filter((item) => !known.has(item.id)).slice(0, Math.max(room, 0));
    if (!fresh.length) return;
    this.list = [
      ...this.list,
      ...fresh.map((summary) => ({ summary, watching: this.watch(summary.id) })),
    ];
  }

  private watch(id: string): Watching {
    return new Watching(`/ws/film/${encodeURIComponent(id)}`, null, this.delay, true);
  }

  private leave(one: Followed): void {
    const { id } = one.summary;
    if (this.leaving.has(id)) return;
    this.leaving.add(id);
    setTimeout(() => {
      if (this.closed) return;
      one.watching.close();
      this.leaving.delete(id);
      this.list = this.list.filter((other) => other !== one);
      if (this.large === one) this.large = null;
      this.shown.delete(one);
      this.follow(this.wall.items);
    }, this.delay + LINGER);
  }

  /** The closest bout is shown large; of bouts that were over at once, each for a moment. */
  private choose(): void {
    const now = performance.now();
    const over = !this.large || isOver(this.large);
    if (!over) this.restingSince = now;
    if (this.large && now - (over ? this.restingSince : this.since) < (over ? REST : STAY)) return;
    const seen = this.list.filter((one) => one.watching.playback && one !== this.large);
    const [best] = seen
      .filter((one) => !isOver(one))
      .sort((a, b) => distance(a.watching) - distance(b.watching));
    const next = best ?? (over ? seen.find((one) => !this.shown.has(one)) : undefined);
    if (next) this.show(next, now);
  }

  private show(one: Followed, now: number): void {
    this.large = one;
    this.since = this.restingSince = now;
    this.shown.add(one);
  }
}

export function isOver(one: Followed): boolean {
  return !!one.watching.playback?.end;
}

/** How far apart the seats are: 0 for level, 1 for hopeless; young bouts stand behind. */
export function distance(watching: Watching): number {
  const scores = scoresOf(watching);
  if (!scores) return 2;
  const [first, second] = [...scores].sort((a, b) => b - a);
  const apart = Math.abs(first - second) / (Math.abs(first) + Math.abs(second) + 1);
  return apart + ((watching.playback?.length ?? 0) < WARM ? 1 : 0);
}

/** The score of every seat, in a game that shows one. */
export function scoresOf(watching: Watching): number[] | null {
  const { playback } = watching;
  const key = playback?.film.scene.charts?.[0]?.key;
  const value = key && playback ? playback.reel.counters.at(-1)?.[key] : undefined;
  return Array.isArray(value) ? value : null;
}
