/** What a judge found in a bout, by step: marks, mistakes, expected scores. */

import type { Analysis, BoardShape, Gesture, Grade, MoveAnalysis } from "../api/generated";
import { tr } from "../settings.svelte";

export type MarkTone = "doubtful" | "bad" | "worst";

export interface MoveMark {
  sign: string;
  tone: MarkTone;
}

const MARKS: Record<Exclude<Grade, "missed win">, MoveMark | null> = {
  fine: null,
  inaccuracy: { sign: "?!", tone: "doubtful" },
  mistake: { sign: "?", tone: "bad" },
  blunder: { sign: "??", tone: "worst" },
};
/** The least loss of a blunder. */
const BLUNDER_LOSS = 0.2;

/** The sign behind a move; a missed win has that of its loss. */
export function markOf({ grade, loss }: Pick<MoveAnalysis, "grade" | "loss">): MoveMark | null {
  if (grade === "missed win") return MARKS[loss < BLUNDER_LOSS ? "mistake" : "blunder"];
  return MARKS[grade] ?? null;
}

export function gradeName(grade: Grade): string {
  const names: Record<Grade, string> = {
    fine: tr("fine", "正常"),
    inaccuracy: tr("inaccuracy", "欠佳"),
    mistake: tr("mistake", "失误"),
    blunder: tr("blunder", "大失误"),
    "missed win": tr("missed win", "错失胜机"),
  };
  return names[grade] ?? grade;
}

/** House bots that play as a judge thinks, the closest first. */
const JUDGE_BOTS: Record<string, string[]> = {
  network: ["learned"],
  search: ["strong", "alphabeta", "search"],
  rollouts: ["hunter"],
};

/** The house bot that stands for a judge, out of those that a game has; null if none does. */
export function botOfJudge(judge: string, bots: { name: string }[]): string | null {
  const wanted = [...(JUDGE_BOTS[judge] ?? []), "strong", "search"];
  return wanted.find((name) => bots.some((bot) => bot.name === name)) ?? null;
}

function isMistake({ grade }: MoveAnalysis): boolean {
  return grade !== "fine" && grade !== "inaccuracy";
}

export class BoutAnalysis {
  private readonly bySteps = new Map<number, MoveAnalysis[]>();
  /** Steps with a mistake or worse, in order. */
  readonly mistakes: number[];

  constructor(readonly found: Analysis) {
    for (const move of found.moves) {
      this.bySteps.set(move.step, [...(this.bySteps.get(move.step) ?? []), move]);
    }
    const wrong = found.moves.filter(isMistake);
    this.mistakes = [...new Set(wrong.map(({ step }) => step))].sort((a, b) => a - b);
  }

  /** The steps in which one of some seats made a mistake or worse, in order. */
  mistakesOf(seats: number[]): number[] {
    return this.mistakes.filter((step) => this.wrongAt(step, seats).length > 0);
  }

  /** The first of some steps with the mistake that gave most away; null without mistakes. */
  worstOf(steps: number[], seats: number[]): number | null {
    const loss = (step: number) => Math.max(...this.wrongAt(step, seats).map((move) => move.loss));
    return [...steps].sort((a, b) => loss(b) - loss(a) || a - b)[0] ?? null;
  }

  /** How many moves of a seat have a sign. */
  count(seat: number, sign: string): number {
    const own = this.found.moves.filter((move) => move.seat === seat && move.graded);
    return own.filter((move) => markOf(move)?.sign === sign).length;
  }

  private wrongAt(step: number, seats: number[]): MoveAnalysis[] {
    return this.at(step).filter((move) => seats.includes(move.seat) && isMistake(move));
  }

  /** The judged moves that led to a position. */
  at(step: number): MoveAnalysis[] {
    return this.bySteps.get(step) ?? [];
  }

  /** The mark of the worst move of a step. */
  mark(step: number): MoveMark | null {
    const moves = this.at(step);
    if (!moves.length) return null;
    return markOf(moves.reduce((worst, move) => (move.loss > worst.loss ? move : worst)));
  }

  /** The expected score of a seat at every step: between two judged positions on a straight line. */
  expectedScores(seat: number, steps: number): number[] {
    const points = this.found.curve;
    const line = new Array<number>(steps + 1).fill(0.5);
    points.forEach((point, index) => {
      const [from, value] = [point.step, point.expected[seat]];
      const following = points[index + 1];
      const until = following?.step ?? steps;
      const last = following ? following.expected[seat] : value;
      for (let n = from; n <= Math.min(until, steps); n++) {
        line[n] = until > from ? value + ((last - value) * (n - from)) / (until - from) : value;
      }
    });
    return line;
  }
}

/** The nearest of some steps, in order, before (-1) or after (1) another; null if there is none. */
export function nearest(steps: number[], from: number, direction: 1 | -1): number | null {
  const ahead = steps.filter((at) => (at - from) * direction > 0);
  return (direction > 0 ? ahead[0] : ahead.at(-1)) ?? null;
}

/** How a move looks on a board, by the gesture that means it: an arrow for a drag, a ring for a cell.
 * Of several gestures, the first that lies on the board counts. */
export function shapesOf(
  move: string,
  gestures: Gesture[],
  columns: number,
  tone: NonNullable<BoardShape["tone"]>,
): BoardShape[] {
  for (const gesture of gestures) {
    if (gesture.move !== move) continue;
    if (gesture.kind === "cell") {
      return [{ kind: "ring", cell: gesture.row * columns + gesture.column, tone }];
    }
    if (gesture.kind === "drag") {
      const cell = gesture.row * columns + gesture.column;
      const to = gesture.to_row * columns + gesture.to_column;
      return [{ kind: "arrow", cell, to, tone }];
    }
  }
  return [];
}
