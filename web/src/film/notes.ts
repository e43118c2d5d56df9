/** What bots said about their moves, found by step. */

import type { FilmNotes, MoveNote, Text } from "../api/generated";

export interface ShownNote {
  seat: number;
  note: MoveNote;
}

export class BoutNotes {
  private readonly bySeat: Map<number, Map<number, MoveNote>> = new Map();
  /** Sentences about notes that were not kept, and whose they are, by seat. */
  readonly leftOut = new Map<number, Text>();
  readonly public = new Map<number, boolean>();

  constructor(found: FilmNotes) {
    for (const [seat, { notes, left_out, public: shown }] of Object.entries(found.seats)) {
      // A note belongs to the move that leads from its step to the next one.
      const bySteps = new Map(notes.map(({ step, note }) => [step + 1, note]));
      this.bySeat.set(Number(seat), bySteps);
      this.public.set(Number(seat), shown);
      if (left_out) this.leftOut.set(Number(seat), left_out);
    }
  }

  get isEmpty(): boolean {
    return ![...this.bySeat.values()].some((notes) => notes.size > 0);
  }

  get seats(): number[] {
    return [...this.bySeat.keys()].filter((seat) => this.bySeat.get(seat)!.size > 0);
  }

  /** The notes about the moves that led to a position. */
  at(step: number): ShownNote[] {
    return this.seats.flatMap((seat) => {
      const note = this.bySeat.get(seat)!.get(step);
      return note ? [{ seat, note }] : [];
    });
  }

  /** The nearest step before (-1) or after (1) a step that has a note; null if there is none. */
  next(step: number, direction: 1 | -1): number | null {
    let best: number | null = null;
    for (const notes of this.bySeat.values()) {
      for (const at of notes.keys()) {
        const ahead = (at - step) * direction;
        if (ahead > 0 && (best === null || ahead < (best - step) * direction)) best = at;
      }
    }
    return best;
  }

  /** The score that a bot expected, from 0 to 1, at every step of the bout: between two notes that
   * of the earlier one, before the first that of the first. Null if the bot never said one. */
  expectedScores(seat: number, steps: number): number[] | null {
    const notes = this.bySeat.get(seat);
    const said = [...(notes ?? [])].filter(([, note]) => typeof note.score === "number");
    if (!said.length) return null;
    const scores = new Map(said.map(([step, note]) => [step, note.score!]));
    let last = scores.get(Math.min(...scores.keys()))!;
    return Array.from({ length: steps + 1 }, (_, step) => (last = scores.get(step) ?? last));
  }
}
