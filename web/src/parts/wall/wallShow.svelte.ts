/**
 * The director of a projector: which bouts are on its boards, and which results may be told.
 *
 * Bouts under way are shown live if they are slow enough to be followed. The others are played again
 * once they have ended, round by round, at a pace for people.
 */

import { SvelteMap } from "svelte/reactivity";
import { contests, films } from "../../api/api";
import type { BoutSummary, ShowRound } from "../../api/generated";
import { LiveBouts } from "../../api/liveBouts.svelte";
import { type Batch, earlierRounds, nextBatch, type PlayedBout } from "./programme";
import { playedBouts, shownThrough, tellsAhead } from "./programme";
import { LiveEntry, ReplayEntry, type WallEntry } from "./wallEntries.svelte";

export interface WallSettings {
  /** Everything is shown so many milliseconds late. */
  delayMs: number;
  /** How fast stored bouts are played. */
  pace: number;
  /** Whether results wait for the bouts that are still to be shown. */
  heldBack: () => boolean;
  /** A bracket leaves room for fewer. */
  maxBoards: () => number;
  /** What is not shown, because it had been played when the projector was opened. */
  missed: "nothing" | "earlier rounds" | "all";
}

const TICK_MS = 60;
/** How long a board stays after its bout has ended. */
const LINGER_MS = 5000;
/** The large board changes at most this often, unless its bout is over. */
const MIN_LARGE_MS = 15_000;
/** How long the end of a bout is shown large, when others wait. */
const ENDED_LARGE_MS = 3500;
/** A bout that has been under way for so long is slow enough to be watched, unless its moves come
 * too fast; after the longer time it is in any case. */
const SLOW_MS = 1500;
const CERTAINLY_SLOW_MS = 6000;
const MAX_STEPS_PER_S = 4;

interface FirstSight {
  at: number;
  step: number;
  /** Whether what was played before it has been asked for. */
  asked: boolean;
}

export class WallShow {
  entries = $state.raw<WallEntry[]>([]);
  large = $state.raw<WallEntry | null>(null);
  bouts = $state.raw<PlayedBout[]>([]);
  readonly rounds = new SvelteMap<string, ShowRound>();
  /** The last bout whose result may be told. */
  through = $state(0);
  /** How many bouts have been shown, or left out for others of their round. */
  shown = $state(0);
  /** Whether the finished bouts have been read once. */
  loaded = $state(false);
  private readonly seen = new Set<number>();
  private readonly watchedLive = new Set<string>();
  private readonly firstSights = new Map<string, FirstSight>();
  private readonly endedAt = new Map<WallEntry, number>();
  private readonly wall: LiveBouts;
  private batch: Batch | null = null;
  private loading = false;
  /** When the bouts that have ended were last asked for, with success. */
  private readAt = 0;
  private largeSince = 0;
  private closed = false;
  private readonly timer: number;

  constructor(
    private readonly contest: number,
    private readonly settings: WallSettings,
  ) {
    this.wall = new LiveBouts(contest);
    this.timer = window.setInterval(() => this.tick(performance.now()), TICK_MS);
  }

  /** Whether everything that was played has been shown. */
  get done(): boolean {
    return this.loaded && !this.entries.length && this.through === (this.bouts.at(-1)?.id ?? 0);
  }

  close(): void {
    this.closed = true;
    clearInterval(this.timer);
    this.wall.close();
    for (const entry of this.entries) entry.close();
  }

  /** Reads the bouts that have ended since. */
  async read(): Promise<void> {
    const first = !this.loaded;
    const asked = performance.now();
    const found: PlayedBout[] = [];
    for (let more = true; more;) {
      const after = found.at(-1)?.id ?? this.bouts.at(-1)?.id ?? 0;
      const answer = await contests.show(this.contest, after).catch(() => null);
      if (!answer || this.closed) return;
      for (const round of answer.rounds) this.rounds.set(round.key, round);
      found.push(...playedBouts(answer));
      more = answer.more;
    }
    const known = this.bouts.at(-1)?.id ?? 0; // another reading may have come first
    this.bouts = [...this.bouts, ...found.filter((bout) => bout.id > known)];
    if (first) this.skipMissed();
    for (const bout of found) if (this.watchedLive.has(placeOf(bout))) this.seen.add(bout.id);
    this.loaded = true;
    this.readAt = asked;
    this.tell();
  }

  /** Shows the contest from its first bout on. */
  restart(): void {
    this.seen.clear();
    this.endBatch();
    this.tell();
  }

  /** Takes all that was played as shown. */
  finish(): void {
    for (const bout of this.bouts) this.seen.add(bout.id);
    this.batch = null;
    this.remove(this.entries);
    this.tell();
  }

  /** What was shown in this tab before it was loaded again is not shown twice. */
  private skipMissed(): void {
    const kept = sessionStorage.getItem(this.memory);
    const ids = kept === null ? this.missed() : kept.split(",").filter(Boolean).map(Number);
    for (const id of ids) this.seen.add(id);
  }

  private missed(): number[] {
    if (this.settings.missed === "all") return this.idsThrough(Infinity);
    return this.settings.missed === "earlier rounds" ? earlierRounds(this.bouts) : [];
  }

  private idsThrough(last: number): number[] {
    return this.bouts.map((bout) => bout.id).filter((id) => id <= last);
  }

  private get memory(): string {
    return `ludus.wall.${this.contest}`;
  }

  private tell(): void {
    this.through = shownThrough(this.bouts, this.seen);
    this.shown = this.bouts.filter((bout) => this.seen.has(bout.id)).length;
    sessionStorage.setItem(this.memory, [...this.seen].join(","));
  }

  private tick(now: number): void {
    this.followLive(now);
    for (const replay of this.replays) replay.advance(now);
    for (const entry of this.entries) if (entry.over) this.markEnded(entry, now);
    this.leave(now);
    if (this.batch && !this.replays.length) this.endBatch();
    if (!this.batch && this.loaded) void this.startBatch();
    this.chooseLarge(now);
  }

  private get replays(): ReplayEntry[] {
    return this.entries.filter((entry) => entry instanceof ReplayEntry);
  }

  private followLive(now: number): void {
    const { items } = this.wall;
    for (const id of this.firstSights.keys())
      if (!items.some((item) => item.id === id)) this.firstSights.delete(id);
    for (const item of items) {
      if (item.end) continue;
      const sight = this.firstSights.get(item.id);
      if (!sight) this.firstSights.set(item.id, { at: now, step: item.step, asked: false });
      else if (this.entries.length < this.settings.maxBoards() && isSlow(item, sight, now))
        if (this.mayWatch(item, sight)) this.watch(item);
    }
  }

  /** Where results are held back, a live bout waits until those that led to it were shown. */
  private mayWatch(item: BoutSummary, sight: FirstSight): boolean {
    if (!this.settings.heldBack()) return true;
    if (this.readAt >= sight.at) return !tellsAhead(item.match?.id, this.bouts, this.seen);
    if (!sight.asked) setTimeout(() => void this.read(), this.settings.delayMs);
    sight.asked = true;
    return false;
  }

  private watch(item: BoutSummary): void {
    if (this.entries.some((entry) => entry.id === item.id)) return;
    this.entries = [...this.entries, new LiveEntry(item, this.settings.delayMs)];
    if (item.match)
      this.watchedLive.add(placeOf({ match: item.match.id, number: item.match.number }));
  }

  private markEnded(entry: WallEntry, now: number): void {
    if (this.endedAt.has(entry)) return;
    this.endedAt.set(entry, now);
    if (!(entry instanceof ReplayEntry)) return;
    this.seen.add(entry.bout.id);
    this.tell();
  }

  /** Live boards leave one by one; replays together, so that a round is one scene. */
  private leave(now: number): void {
    const linger = LINGER_MS / Math.max(this.settings.pace, 1);
    const rested = (entry: WallEntry): boolean => now - (this.endedAt.get(entry) ?? now) >= linger;
    const replaysRested = this.replays.every(rested);
    const gone = this.entries.filter((entry) =>
      entry.live ? rested(entry) || this.isLost(entry, now) : replaysRested,
    );
    if (gone.length) this.remove(gone);
  }

  /** A live bout that nobody plays any more: its end never came. */
  private isLost(entry: WallEntry, now: number): boolean {
    if (this.wall.items.some((item) => item.id === entry.id)) return false;
    if (entry.playback && !entry.over) this.markEnded(entry, now + this.settings.delayMs);
    return !entry.playback;
  }

  private remove(gone: WallEntry[]): void {
    for (const entry of gone) {
      entry.close();
      this.endedAt.delete(entry);
    }
    this.entries = this.entries.filter((entry) => !gone.includes(entry));
    if (this.large && gone.includes(this.large)) this.large = null;
  }

  private endBatch(): void {
    const covered = this.batch?.covered ?? [];
    this.batch = null;
    this.remove(this.replays);
    for (const bout of covered) this.seen.add(bout.id);
    if (covered.length) this.tell();
  }

  private async startBatch(): Promise<void> {
    const room = this.settings.maxBoards() - this.entries.length;
    const batch = room > 0 && !this.loading ? nextBatch(this.bouts, this.seen, room) : null;
    if (!batch) return;
    this.loading = true;
    const loaded = await Promise.all(batch.bouts.map((bout) => this.load(bout)));
    this.loading = false;
    if (this.closed || batch.bouts.every((bout) => this.seen.has(bout.id))) return;
    this.batch = batch;
    const replays = loaded.filter((replay) => replay !== null);
    const now = performance.now();
    for (const replay of replays) replay.start(now);
    this.entries = [...this.entries, ...replays];
  }

  private async load(bout: PlayedBout): Promise<ReplayEntry | null> {
    const film = await films.one(bout.film).catch(() => null);
    return film && new ReplayEntry(bout, film, this.settings.pace);
  }

  /** The closest bout is shown large, a live one before a replay. */
  private chooseLarge(now: number): void {
    const { large } = this;
    if (large) {
      const ended = this.endedAt.get(large);
      const rest = ended === undefined ? MIN_LARGE_MS : ENDED_LARGE_MS / this.settings.pace;
      const replay = ended === undefined && !large.live;
      if (replay || now - (ended ?? this.largeSince) < rest) return;
    }
    const [best] = this.entries
      .filter((entry) => entry.playback && !entry.over && entry !== large)
      .sort((a, b) => Number(b.live) - Number(a.live) || a.distance - b.distance);
    const next = best ?? (large ? null : this.entries.find((entry) => entry.playback));
    if (!next) return;
    this.large = next;
    this.largeSince = now;
  }
}

/** Where a bout belongs; live bouts and stored ones share it. */
function placeOf({ match, number }: { match: string; number: number }): string {
  return `${number}/${match}`;
}

function isSlow(item: BoutSummary, sight: FirstSight, now: number): boolean {
  const passed = now - sight.at;
  if (passed >= CERTAINLY_SLOW_MS) return true;
  return passed >= SLOW_MS && ((item.step - sight.step) * 1000) / passed <= MAX_STEPS_PER_S;
}
