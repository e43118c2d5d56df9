/** Steering a head by where it should go: the wanted direction becomes a turn. */

import type { Frame, Reel } from "../film/reel";

/** Clockwise, as tokens count their heading. */
const DIRECTIONS = ["right", "down", "left", "up"];
const TURNS = ["up", "right", "up", "left"];

export interface Head {
  cell: number;
  heading: number;
}

/** Where a seat's head is and points to, in games that have heads. */
export function headOf(reel: Reel, frame: Frame, seat: number): Head | null {
  for (const layer of reel.scene.layers) {
    const codes = new Map<number, number>();
    reel.tokens[layer].forEach((token, code) => {
      if (token?.owner === seat && token.heading !== undefined) codes.set(code, token.heading);
    });
    if (!codes.size) continue;
    const cell = frame.layers[layer].findIndex((code) => codes.has(code));
    if (cell >= 0) return { cell, heading: codes.get(frame.layers[layer][cell])! };
  }
  return null;
}

/** The key of the turn that a wanted direction means; backwards is straight on. */
export function relative(heading: number, wanted: string): string {
  const turn = (DIRECTIONS.indexOf(wanted) - heading + 4) % 4;
  return TURNS[turn];
}

/** Whether a wanted direction lies behind a head, where it cannot go. */
export function isBackwards(heading: number, wanted: string): boolean {
  return DIRECTIONS[(heading + 2) % 4] === wanted;
}

/** The direction from the head to a cell: along the longer way, unless that is backwards. */
export function toward(head: Head, cell: number, columns: number): string | null {
  const dx = (cell % columns) - (head.cell % columns);
  const dy = Math.floor(cell / columns) - Math.floor(head.cell / columns);
  const across = dx === 0 ? null : dx > 0 ? "right" : "left";
  const along = dy === 0 ? null : dy > 0 ? "down" : "up";
  const [first, second] = Math.abs(dx) >= Math.abs(dy) ? [across, along] : [along, across];
  const backwards = DIRECTIONS[(head.heading + 2) % 4];
  return first === backwards ? (second ?? first) : first;
}
