/**
 * How the points of entrants grew in a show: what the tables said, one after the other, so that the
 * chart never counts other bouts or other points than the table above it.
 */

import { SvelteMap } from "svelte/reactivity";
import { contests } from "../../api/api";
import type { ContestTables } from "../../api/generated";
import type { PlayedBout } from "./programme";

/** After how many bouts, and how many points then. */
export type RacePoint = [bouts: number, points: number];

/** Tables that are asked for when a page is opened late, to draw what came before. */
const MAX_RECALLED = 10;

export class WallRace {
  /** Points by name, by the last bout that their table counts. */
  private readonly points = new SvelteMap<number, Map<string, number>>();

  constructor(private readonly contest: number) {}

  /** Keeps what the tables say that count all bouts up to `last`. */
  note(last: number, tables: ContestTables): void {
    const all = [...(tables.standings ? [tables.standings] : []), ...tables.tables];
    this.points.set(
      last,
      new Map(all.flatMap(({ rows }) => rows.map((row) => [row.name, row.points] as const))),
    );
  }

  /** Asks for a few of the tables that were shown before this page was opened. */
  async recall(bouts: PlayedBout[]): Promise<void> {
    const apart = Math.ceil(bouts.length / MAX_RECALLED);
    const few = bouts.filter((_, n) => n % apart === apart - 1 && n < bouts.length - 1);
    for (const { id } of few) {
      const found = await contests.tables(this.contest, id).catch(() => null);
      if (found) this.note(id, found);
    }
  }

  /** The line of each name up to the bout `last`. */
  lines(names: string[], bouts: PlayedBout[], last: number): { name: string; line: RacePoint[] }[] {
    const counted = [...this.points].filter(([id]) => id <= last).sort(([a], [b]) => a - b);
    const kept = counted.map(
      ([id, points]) => [bouts.filter((bout) => bout.id <= id).length, points] as const,
    );
    return names.map((name) => ({
      name,
      line: kept.flatMap(([count, points]): RacePoint[] =>
        points.has(name) ? [[count, points.get(name)!]] : [],
      ),
    }));
  }
}
