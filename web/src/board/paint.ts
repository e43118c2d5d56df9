/** What every skin paints with: the canvas, its measures and the page's colours. */

import type { Frame, Reel } from "../film/reel";
import type { BoardScene, FilmStep, Text } from "../api/generated";
import type { Motion, Sprite } from "./motion";

export interface Look {
  dark: boolean;
  ink: string;
  soft: string;
  faint: string;
  line: string;
  ground: string;
  surface: string;
  sunken: string;
  accent: string;
  bad: string;
  doubtful: string;
  seats: string[];
  font: string;
}

/** The board's place on the canvas, in pixels of the page. */
export interface Geometry {
  cell: number;
  left: number;
  top: number;
  /** The board with its margins. */
  width: number;
  height: number;
}

/** What a camera shows: a point in cells, and how many columns there are around it. */
export interface Camera {
  x: number;
  y: number;
  columns: number;
}

export interface Paint {
  ctx: CanvasRenderingContext2D;
  look: Look;
  at: Geometry;
  reel: Reel;
  /** Who sits where; empty where that is not known. */
  names: readonly string[];
  /** The size of the picture, where it shows only a part of the board. */
  window?: { width: number; height: number };
}

/** A moment to draw: at rest, or `time` milliseconds into a motion. */
export interface Shot {
  frame: Frame;
  step: FilmStep | undefined;
  motion: Motion | null;
  time: number;
}

/** Room around the cells, in cells. */
export interface Margin {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** How a game looks. It knows no rules: only scene, frames and events. */
export interface Skin {
  name: string;
  title: Text;
  /** Milliseconds of a step at speed 1. */
  pace: number;
  /** Room around the cells; `small` boards (thumbnails) do without labels. */
  margin(reel: Reel, small: boolean): Margin;
  /** Of a game whose tokens have roles, with its scene in their colours. */
  seatColours(look: Look, scene?: BoardScene): string[];
  /** The same for lines and bars, where pieces are too pale or too dark for the page. */
  lineColours?(look: Look): string[];
  draw(paint: Paint, shot: Shot): void;
  /** Whether steps are animated at all. */
  animated: boolean;
  /** The answer to a press without a meaning, for boards without playable cells. */
  refusal?: Text;
  /** How remarkable a step is for the timeline, from 0 to 1. */
  notable(reel: Reel, n: number): number;
  /** What to show of a large board to the person on a seat; null: the whole board. */
  camera?(reel: Reel, frame: Frame, seat: number): Camera | null;
  /** Of rings around pieces that may move, where the usual one is hard to see. */
  sourceColour?: string;
  /** Whether moves are made with arrow keys: on a screen they have a row of their own. */
  arrows?: boolean;
  /** Shows that a move may name or end on a cell, where a dot would be in the way. */
  target?(paint: Paint, cell: number): void;
  /** The name of a cell as the notation says it, if it does. */
  cellName?(reel: Reel, cell: number): string;
}

export function layout(reel: Reel, margin: Margin, width: number, height: number): Geometry {
  const columns = reel.scene.columns + margin.left + margin.right;
  const rows = reel.scene.rows + margin.top + margin.bottom;
  const fit = Math.min(width / columns, height / rows);
  const cell = fit > 12 ? Math.floor(fit) : fit;
  const left = (width - cell * columns) / 2 + cell * margin.left;
  const top = (height - cell * rows) / 2 + cell * margin.top;
  return { cell, left, top, width: cell * columns, height: cell * rows };
}

/** The board enlarged around a point; beyond its edges little is shown. */
export function zoom(reel: Reel, view: Camera, width: number, height: number): Geometry {
  const { rows, columns } = reel.scene;
  const cell = width / view.columns;
  const edge = 1.5 * cell;
  const place = (size: number, cells: number, middle: number): number => {
    const [least, most] = [size - cells * cell - edge, edge];
    const wanted = size / 2 - (middle + 0.5) * cell;
    return least > most ? (size - cells * cell) / 2 : Math.max(least, Math.min(wanted, most));
  };
  return {
    cell,
    left: place(width, columns, view.x),
    top: place(height, rows, view.y),
    width: columns * cell,
    height: rows * cell,
  };
}

/** The pieces to draw now, at rest or moving. */
export function sprites(paint: Paint, shot: Shot): Sprite[] {
  if (shot.motion) return shot.motion.sprites(shot.time);
  const found: Sprite[] = [];
  const { columns, layers } = paint.reel.scene;
  for (const layer of layers) {
    shot.frame.layers[layer].forEach((code, cell) => {
      if (!code) return;
      const token = paint.reel.token(layer, code);
      const [x, y] = [cell % columns, Math.floor(cell / columns)];
      found.push({ layer, token, x, y, born: 1, gone: 0, turn: 0, next: null, moving: false });
    });
  }
  return found;
}

export function rounded(
  ctx: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  radius: number,
): void {
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, radius);
}

export function disc(ctx: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  ctx.beginPath();
  ctx.arc(x, y, Math.max(radius, 0), 0, 2 * Math.PI);
}

/** The middle of a cell on the canvas. */
export function middle(at: Geometry, x: number, y: number): [number, number] {
  return [at.left + (x + 0.5) * at.cell, at.top + (y + 0.5) * at.cell];
}

export function corner(paint: Paint, cell: number): [number, number] {
  const { columns } = paint.reel.scene;
  const { left, top, cell: size } = paint.at;
  return [left + (cell % columns) * size, top + Math.floor(cell / columns) * size];
}

/** Text in the middle of a place, as large as fits into `width`; `edged` in the line's colour. */
export function label(
  paint: Paint,
  text: string,
  x: number,
  y: number,
  size: number,
  width: number,
  weight = 600,
  edged = false,
): void {
  const { ctx, look } = paint;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.font = `${weight} ${size}px ${look.font}`;
  const wide = ctx.measureText(text).width;
  if (wide > width) ctx.font = `${weight} ${(size * width) / wide}px ${look.font}`;
  if (edged) ctx.strokeText(text, x, y + size * 0.04);
  ctx.fillText(text, x, y + size * 0.04);
}

/** Letters, or what moves call columns, and numbers along the edges. */
export function coordinates(
  paint: Paint,
  colour: string,
  rowName: (row: number) => string,
  columnName = (column: number): string => String.fromCharCode(97 + column),
): void {
  const { ctx, at, reel } = paint;
  const size = Math.min(at.cell * 0.26, 15);
  if (size < 6) return;
  ctx.fillStyle = colour;
  for (let x = 0; x < reel.scene.columns; x++) {
    const [px] = middle(at, x, 0);
    const y = at.top + reel.scene.rows * at.cell + at.cell * 0.13 + size * 0.75;
    label(paint, columnName(x), px, y, size, at.cell, 500);
  }
  for (let y = 0; y < reel.scene.rows; y++) {
    const [, py] = middle(at, 0, y);
    label(paint, rowName(y), at.left - at.cell * 0.13 - size * 0.75, py, size, at.cell, 500);
  }
}

/** A shade of a colour given as #rrggbb: above 0 lighter, below 0 darker. */
export function shade(colour: string, by: number): string {
  const parts = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  const goal = by > 0 ? 255 : 0;
  const mixed = parts.map((part) => Math.round(part + (goal - part) * Math.abs(by)));
  return `rgb(${mixed.join(",")})`;
}
