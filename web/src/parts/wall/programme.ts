/** What a projector shows next: functions of what has been played and of what was shown. */

import type { ContestShow, ShowBout, ShowRound } from "../../api/generated";

/** A finished bout, and its round by key. */
export interface PlayedBout extends Omit<ShowBout, "round"> {
  round: string;
}

/** Bouts of one round that are shown side by side. */
export interface Batch {
  round: string;
  bouts: PlayedBout[];
  /** The bouts whose results may be told once these have been shown: these, and those left out. */
  covered: PlayedBout[];
}

/** A round with more bouts than fill the boards so many times is shown by its closest bouts. */
const MAX_BATCHES = 3;

/** The bouts of an answer, each with the key of its round. */
export function playedBouts({ rounds, bouts }: ContestShow): PlayedBout[] {
  return bouts.map((bout) => ({ ...bout, round: rounds[bout.round].key }));
}

/** The next bouts to show, of the oldest round that has any; null: all were shown. */
export function nextBatch(
  bouts: PlayedBout[],
  seen: ReadonlySet<number>,
  boards: number,
): Batch | null {
  const first = bouts.find((bout) => !seen.has(bout.id));
  if (!first) return null;
  const { round } = first;
  const waiting = bouts.filter((bout) => bout.round === round && !seen.has(bout.id));
  if (waiting.length > boards * MAX_BATCHES) {
    const closest = onePerMatch(waiting.toSorted((a, b) => apart(a.figures) - apart(b.figures)));
    return { round, bouts: closest.slice(0, boards), covered: waiting };
  }
  const firsts = onePerMatch(waiting);
  const batches = Math.ceil(firsts.length / boards);
  const shown = firsts.slice(0, Math.ceil(firsts.length / batches)); // eight are twice four
  return { round, bouts: shown, covered: shown };
}

/** Later bouts of a match, which tell how earlier ones ended, wait. */
function onePerMatch(bouts: PlayedBout[]): PlayedBout[] {
  const matches = new Set<string>();
  return bouts.filter(({ match }) => !matches.has(match) && matches.add(match));
}

/** The last bout whose result may be told: all up to it were shown. */
export function shownThrough(bouts: PlayedBout[], seen: ReadonlySet<number>): number {
  let through = 0;
  for (const { id } of bouts) {
    if (!seen.has(id)) break;
    through = id;
  }
  return through;
}

/** The bouts of all rounds but the one that is being played. */
export function earlierRounds(bouts: PlayedBout[]): number[] {
  const current = bouts.at(-1)?.round;
  return bouts.filter((bout) => bout.round !== current).map((bout) => bout.id);
}

/**
 * Whether a bout of this match, shown live, tells what the show has not come to yet: bouts of another
 * round wait to be shown, and who plays now says who won them.
 */
export function tellsAhead(
  match: string | undefined,
  bouts: PlayedBout[],
  seen: ReadonlySet<number>,
): boolean {
  const first = bouts.find((bout) => !seen.has(bout.id));
  return !!first && !bouts.some((bout) => bout.match === match && bout.round === first.round);
}

/** How far apart seats are: 0 for level, 1 for hopeless. */
export function apart(figures: readonly number[]): number {
  const [first, second] = [...figures].sort((a, b) => b - a);
  if (second === undefined) return 0;
  return Math.abs(first - second) / (Math.abs(first) + Math.abs(second) + 1);
}

export type Rounds = ReadonlyMap<string, ShowRound>;
