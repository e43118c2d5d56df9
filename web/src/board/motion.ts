/** What moves between two positions: pieces followed through the events of a step.
 *
 * Events of one sort in a row happen together; sorts follow each other. Events of unknown kinds
 * are passed over: whatever then differs from the next position fades in or out at the end.
 */

import type { Frame, Reel } from "../film/reel";
import type { BoardEvent, BoardToken } from "../api/generated";

/** A piece at a moment: `x`, `y` in cells; `born`, `gone`, `turn` and `pop` run from 0 to 1. */
export interface Sprite {
  layer: string;
  token: BoardToken | null;
  x: number;
  y: number;
  /** 1 when it is wholly there. */
  born: number;
  /** 0 while it is wholly there. */
  gone: number;
  /** How far it has become `next`. */
  turn: number;
  next: BoardToken | null;
  moving: boolean;
}

export interface Motion {
  /** Milliseconds at an unhurried pace. */
  duration: number;
  sprites(time: number): Sprite[];
  /** Points won by what vanishes at that time, to be shown. */
  points(time: number): { points: number; cells: number[]; progress: number } | null;
}

type Sort = "move" | "fall" | "gone" | "new" | "change";

const SORTS: Record<string, Sort> = {
  slide: "move",
  move: "move",
  swap: "move",
  step: "move",
  fall: "fall",
  erase: "gone",
  capture: "gone",
  put: "new",
  drop: "new",
  merge: "change",
  flip: "change",
};

const STAGE_MS: Record<Sort, number> = { move: 170, fall: 210, gone: 300, new: 170, change: 240 };
const SETTLE_MS = 180;

interface Leg {
  start: number;
  end: number;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  falls: boolean;
}

interface Piece {
  layer: string;
  token: BoardToken | null;
  known: boolean;
  cell: number;
  legs: Leg[];
  x: number;
  y: number;
  born: [number, number] | null;
  gone: [number, number] | null;
  turn: { start: number; end: number; token: BoardToken | null } | null;
}

export function motion(reel: Reel, from: Frame, to: Frame): Motion {
  return new Choreography(reel, from, to);
}

class Choreography implements Motion {
  duration = 0;
  private readonly pieces: Piece[] = [];
  private readonly places: Map<string, Piece> = new Map();
  private readonly awards: { start: number; end: number; points: number; cells: number[] }[] = [];
  private readonly columns: number;

  constructor(
    private readonly reel: Reel,
    from: Frame,
    private readonly to: Frame,
  ) {
    this.columns = reel.scene.columns;
    for (const layer of reel.scene.layers) this.place(layer, from);
    for (const stage of stages(to.events)) this.stage(stage.sort, stage.events);
    for (const layer of reel.scene.layers) this.settle(layer);
  }

  sprites(time: number): Sprite[] {
    const shown: Sprite[] = [];
    for (const piece of this.pieces) {
      const gone = share(piece.gone, time, 0);
      const born = share(piece.born, time, 1);
      if (gone >= 1 || born <= 0) continue;
      const { x, y, moving } = positionAt(piece, time);
      const turn = piece.turn ? share([piece.turn.start, piece.turn.end], time, 0) : 0;
      const next = piece.turn?.token ?? null;
      shown.push({ layer: piece.layer, token: piece.token, x, y, born, gone, turn, next, moving });
    }
    return shown;
  }

  points(time: number): { points: number; cells: number[]; progress: number } | null {
    const award = this.awards.find((a) => a.start <= time && time < a.end + STAGE_MS.fall);
    if (!award) return null;
    const progress = (time - award.start) / (award.end + STAGE_MS.fall - award.start);
    return { points: award.points, cells: award.cells, progress };
  }

  private place(layer: string, frame: Frame): void {
    frame.layers[layer].forEach((code, cell) => {
      if (code) this.enter(layer, cell, this.reel.token(layer, code));
    });
  }

  private enter(layer: string, cell: number, token: BoardToken | null): Piece {
    const piece: Piece = {
      layer,
      token,
      known: token !== null,
      cell,
      legs: [],
      x: cell % this.columns,
      y: Math.floor(cell / this.columns),
      born: null,
      gone: null,
      turn: null,
    };
    this.pieces.push(piece);
    this.places.set(`${layer} ${cell}`, piece);
    return piece;
  }

  private stage(sort: Sort, events: BoardEvent[]): void {
    const start = this.duration;
    const end = start + STAGE_MS[sort];
    if (sort === "gone") this.vanish(events, start, end);
    else if (sort === "new") this.appear(events, start, end);
    else if (sort === "change") this.change(events, start, end);
    else this.travel(events, start, end, sort === "fall");
    this.duration = end;
  }

  /** The topmost layer that has a piece on the cell. */
  private top(cell: number): string {
    const layers = this.reel.scene.layers;
    const found = layers.findLast((layer) => this.places.has(`${layer} ${cell}`));
    return found ?? layers[layers.length - 1];
  }

  private travel(events: BoardEvent[], start: number, end: number, falls: boolean): void {
    const leaving: { piece: Piece; cell: number }[] = [];
    const entering: number[] = [];
    for (const event of events) {
      for (const [from, to] of pathsOf(event)) {
        const piece = this.places.get(`${this.top(from)} ${from}`);
        if (piece) leaving.push({ piece, cell: to });
      }
      if (event.kind === "fall" && event.from === undefined) entering.push(...cellsOf(event.to));
    }
    for (const { piece } of leaving) this.places.delete(`${piece.layer} ${piece.cell}`);
    for (const { piece, cell } of leaving) this.land(piece, cell, start, end, falls);
    this.dropIn(entering, start, end);
  }

  private land(piece: Piece, cell: number, start: number, end: number, falls: boolean): void {
    const key = `${piece.layer} ${cell}`;
    const hit = this.places.get(key);
    if (hit) hit.gone = [end, end]; // it merges with whoever arrives
    this.places.set(key, piece);
    const x1 = cell % this.columns;
    const y1 = Math.floor(cell / this.columns);
    piece.legs.push({ start, end, x0: piece.x, y0: piece.y, x1, y1, falls });
    piece.cell = cell;
    piece.x = x1;
    piece.y = y1;
  }

  /** Pieces from above the board, as far up as they are many in their column. */
  private dropIn(cells: number[], start: number, end: number): void {
    const depth = new Map<number, number>();
    for (const cell of cells) {
      const column = cell % this.columns;
      depth.set(column, (depth.get(column) ?? 0) + 1);
    }
    for (const cell of cells) {
      const piece = this.enter(this.top(-1), cell, null);
      const above = piece.y - depth.get(cell % this.columns)!;
      piece.born = [start, start + (end - start) / 2];
      piece.legs.push({
        start,
        end,
        x0: piece.x,
        y0: above,
        x1: piece.x,
        y1: piece.y,
        falls: true,
      });
    }
  }

  private vanish(events: BoardEvent[], start: number, end: number): void {
    for (const event of events) {
      const cells = [...(event.cells ?? []), ...cellsOf(event.to)];
      for (const cell of cells) {
        const key = `${this.top(cell)} ${cell}`;
        const piece = this.places.get(key);
        if (!piece) continue;
        piece.gone = [start, end];
        this.places.delete(key);
        if (!piece.known) piece.token = this.neighbourToken(cell, cells);
      }
      if (event.points) this.awards.push({ start, end, points: event.points, cells });
    }
  }

  /** A piece that came and went within one step was of its neighbours' sort. */
  private neighbourToken(cell: number, cells: number[]): BoardToken | null {
    const near = [cell - 1, cell + 1, cell - this.columns, cell + this.columns];
    const kin = this.pieces.find(
      (p) => p.known && p.gone && near.includes(p.cell) && cells.includes(p.cell),
    );
    return kin?.token ?? null;
  }

  private appear(events: BoardEvent[], start: number, end: number): void {
    for (const event of events) {
      for (const cell of [...(event.cells ?? []), ...cellsOf(event.to)]) {
        const layer = this.layerOfNew(cell);
        const token = this.reel.token(layer, this.to.layers[layer][cell]);
        if (token && !this.places.has(`${layer} ${cell}`)) {
          this.enter(layer, cell, token).born = [start, end];
        }
      }
    }
  }

  private layerOfNew(cell: number): string {
    const layers = this.reel.scene.layers;
    return layers.findLast((layer) => this.to.layers[layer][cell]) ?? layers[layers.length - 1];
  }

  private change(events: BoardEvent[], start: number, end: number): void {
    for (const event of events) {
      for (const cell of [...(event.cells ?? []), ...cellsOf(event.to)]) {
        const layer = this.top(cell);
        const piece = this.places.get(`${layer} ${cell}`);
        const token = this.reel.token(layer, this.to.layers[layer][cell]);
        if (piece && token) piece.turn = { start, end, token };
      }
    }
  }

  /** Whatever the events did not explain. */
  private settle(layer: string): void {
    const start = this.duration;
    const end = start + SETTLE_MS;
    let needed = false;
    this.to.layers[layer].forEach((code, cell) => {
      const piece = this.places.get(`${layer} ${cell}`);
      const token = this.reel.token(layer, code);
      if (piece && !piece.known) piece.token = token;
      else if (piece && !token) needed = (piece.gone = [start, end]) !== null;
      else if (!piece && token) {
        this.enter(layer, cell, token).born = [start, end];
        needed = true;
      } else if (piece && token !== (piece.turn?.token ?? piece.token)) {
        piece.turn = { start, end, token };
        needed = true;
      }
    });
    if (needed) this.duration = end;
  }
}

function stages(events: BoardEvent[]): { sort: Sort; events: BoardEvent[] }[] {
  const found: { sort: Sort; events: BoardEvent[] }[] = [];
  for (const event of events) {
    const sort = SORTS[event.kind];
    if (!sort) continue;
    const last = found[found.length - 1];
    if (last?.sort === sort) last.events.push(event);
    else found.push({ sort, events: [event] });
  }
  return found;
}

function pathsOf(event: BoardEvent): [number, number][] {
  const [from] = cellsOf(event.from);
  const [to] = cellsOf(event.to);
  if (from === undefined || to === undefined) return [];
  return event.kind === "swap"
    ? [
        [from, to],
        [to, from],
      ]
    : [[from, to]];
}

function cellsOf(cells: number | number[] | undefined): number[] {
  if (cells === undefined) return [];
  return Array.isArray(cells) ? cells : [cells];
}

function share(span: [number, number] | null, time: number, otherwise: number): number {
  if (!span) return otherwise;
  if (span[0] === span[1]) return time >= span[0] ? 1 : 0;
  return Math.max(0, Math.min((time - span[0]) / (span[1] - span[0]), 1));
}

function positionAt(piece: Piece, time: number): { x: number; y: number; moving: boolean } {
  let found: Leg | undefined;
  for (const leg of piece.legs) if (leg.start <= time || !found) found = leg;
  if (!found) return { x: piece.x, y: piece.y, moving: false };
  const t = share([found.start, found.end], time, 0);
  const eased = found.falls ? t * t : ease(t);
  return {
    x: found.x0 + (found.x1 - found.x0) * eased,
    y: found.y0 + (found.y1 - found.y0) * eased,
    moving: t > 0 && t < 1,
  };
}

export function ease(t: number): number {
  return t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) * (1 - t);
}
