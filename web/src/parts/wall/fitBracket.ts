/** How a bracket of any size fits a box on a projector: which rounds, in how many columns, how large. */

import type { BracketMatch } from "../../api/generated";
import { type BracketSide, sidesOf } from "../contests/bracketLayout";

/** A round as it is drawn. */
export interface FittedRound {
  matches: BracketMatch[];
  /** Large rounds are folded into several columns of so many rows. */
  rows: number;
}

export interface FittedSide {
  key: BracketSide["key"];
  rounds: FittedRound[];
  /** Whether each round has as many rows as matches, so that lines can lead from one to the next. */
  tree: boolean;
}

export interface FittedBracket {
  sides: FittedSide[];
  /** In pixels; all measures of the drawing are multiples of it. */
  fontSize: number;
}

/** In units of the font's size; the style of WallBracket has the same. */
export const ROW_EM = 3.7;
const HEAD_EM = 2.2;
const COLUMN_EM = 10.5;
const GAP_EM = 1.4;
const SIDE_GAP_EM = 0.8;

/** Larger letters are worth less than another round. */
const MAX_FONT = 20;
/** Where the rounds that were chosen leave room, columns widen first, then letters grow. */
const ROOMY_COLUMN_EM = 14;
const MAX_GROWN_FONT = 32;
/** A box as wide as so many letters has none that are larger: more rounds are worth more. */
const MIN_WIDTH_EM = 44;
/** Smaller letters cannot be read from the back of a room. */
const MIN_READABLE_FONT = 11;
const MAX_ROUNDS = 6;
/** Pixels of the font that another round is worth. */
const ROUND_WORTH = 1.3;
const FOLDS = [32, 16, 8, 6, 4, 3, 2];

/** The sides of a bracket that have anybody in them, as large as they can be read. */
export function fitBracket(
  columns: BracketMatch[][],
  width: number,
  height: number,
): FittedBracket {
  const sides = sidesOf(columns).filter((side) => side.key === "winners" || hasPlayers(side));
  let best: FittedBracket & { worth: number } = { sides: [], fontSize: 0, worth: -Infinity };
  for (const fitted of choices(sides.map(waysToDraw))) {
    const fontSize = Math.min(fontFor(fitted, width, height), MAX_FONT, width / MIN_WIDTH_EM);
    const rounds = fitted.reduce((sum, side) => sum + side.rounds.length, 0);
    const unreadable = Math.max(0, MIN_READABLE_FONT - fontSize);
    const worth = fontSize + ROUND_WORTH * rounds - 10 * unreadable;
    if (worth > best.worth) best = { sides: fitted, fontSize, worth };
  }
  const grown = Math.min(fontFor(best.sides, width, height, ROOMY_COLUMN_EM), MAX_GROWN_FONT);
  return { ...best, fontSize: Math.max(best.fontSize, grown) };
}

function hasPlayers(side: BracketSide): boolean {
  return side.rounds.some((round) => round.some((match) => match.a || match.b));
}

/** Windows of one to six rounds, each with its large rounds folded or not. */
function waysToDraw(side: BracketSide): FittedSide[] {
  const ways: FittedSide[] = [];
  for (let count = 1; count <= Math.min(MAX_ROUNDS, side.rounds.length); count++) {
    const rounds = currentRounds(side.rounds, count);
    const largest = Math.max(...rounds.map((round) => round.length));
    for (const rows of [largest, ...FOLDS.filter((fold) => fold < largest)]) {
      const drawn = rounds.map((matches) => ({ matches, rows: Math.min(rows, matches.length) }));
      ways.push({ key: side.key, rounds: drawn, tree: rows === largest });
    }
  }
  return ways;
}

/** From the first round that is not over; once all are, the last ones. */
function currentRounds(rounds: BracketMatch[][], count: number): BracketMatch[][] {
  const open = rounds.findIndex((round) => round.some((match) => match.winner === null));
  const first = open < 0 ? rounds.length : open;
  const from = Math.max(0, Math.min(first, rounds.length - count));
  return rounds.slice(from, from + count);
}

function* choices(ways: FittedSide[][]): Generator<FittedSide[]> {
  if (!ways.length) return;
  const [first, ...rest] = ways;
  for (const way of first) {
    if (!rest.length) yield [way];
    else for (const others of choices(rest)) yield [way, ...others];
  }
}

/** The size of letters with which sides, one below the other, fill a box. */
function fontFor(
  sides: FittedSide[],
  width: number,
  height: number,
  columnWidth: number = COLUMN_EM,
): number {
  const wide = Math.max(...sides.map((side) => sideWidth(side, columnWidth)));
  const high = sides.reduce((sum, side) => sum + sideHeight(side), 0);
  return Math.min(width / wide, height / (high + SIDE_GAP_EM * (sides.length - 1)));
}

function sideWidth(side: FittedSide, columnWidth: number): number {
  const count = side.rounds.reduce((sum, { matches, rows }) => sum + columnsOf(matches, rows), 0);
  return count * (columnWidth + GAP_EM) - GAP_EM;
}

function sideHeight(side: FittedSide): number {
  return HEAD_EM + ROW_EM * Math.max(...side.rounds.map((round) => round.rows));
}

export function columnsOf(matches: BracketMatch[], rows: number): number {
  return Math.ceil(matches.length / rows);
}
