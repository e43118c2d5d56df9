/** Paper.io: the field as a picture of one pixel per cell, enlarged; heads drawn on top. */

import { middle, type Paint, rounded, shade, type Shot, type Skin } from "../board/paint";
import type { Frame } from "../film/reel";
import { headOf } from "../play/steer";
import { rareEvents } from "./shared";

/** Columns around the own head; smaller fields are shown whole. */
const CAMERA_COLUMNS = 27;
/** Pixels of a cell below which a grid would only be grey. */
const MIN_GRID_CELL = 7;

export const paperio: Skin = {
  name: "paperio",
  title: { en: "Paper", zh: "纸" },
  pace: 40,
  animated: false,
  margin: (reel) => {
    const edge = Math.max(reel.scene.columns * 0.012, 0.2);
    return { left: edge, right: edge, top: edge, bottom: edge };
  },
  seatColours: (look) => look.seats,
  notable: (reel, n) => {
    const events = reel.steps[n - 1]?.events ?? [];
    const filled = events.find((event) => event.kind === "fill")?.cells?.length ?? 0;
    if (filled) return filled > 30 ? Math.min(0.25 + filled / 900, 1) : 0;
    return rareEvents(reel, n);
  },
  camera: (reel, frame, seat) => {
    const head = reel.scene.columns > CAMERA_COLUMNS ? headOf(reel, frame, seat) : null;
    const { columns } = reel.scene;
    return head
      ? { x: head.cell % columns, y: Math.floor(head.cell / columns), columns: CAMERA_COLUMNS }
      : null;
  },
  cellName: (reel, cell) => `${cell % reel.scene.columns},${Math.floor(cell / reel.scene.columns)}`,
  draw(paint, shot) {
    const { ctx, at, reel, look } = paint;
    const { rows, columns } = reel.scene;
    const [width, height] = [columns * at.cell, rows * at.cell];
    ctx.fillStyle = look.line;
    const rim = Math.max(at.cell * 0.4, 2);
    rounded(ctx, at.left - rim, at.top - rim, width + 2 * rim, height + 2 * rim, rim);
    ctx.fill();
    ctx.imageSmoothingEnabled = false;
    const field = picture(paint, shot.frame);
    ctx.drawImage(field, at.left, at.top, width, height);
    grid(paint);
    gained(paint, shot);
    heads(paint, shot.frame);
    if (paint.window) minimap(paint, shot.frame, field);
  },
};

interface Sheet {
  canvas: HTMLCanvasElement;
  image: ImageData;
  cells: Uint32Array;
}

let sheet: Sheet | null = null;

function sheetOf(columns: number, rows: number): Sheet {
  if (sheet?.canvas.width === columns && sheet.canvas.height === rows) return sheet;
  const canvas = document.createElement("canvas");
  canvas.width = columns;
  canvas.height = rows;
  const image = canvas.getContext("2d")!.createImageData(columns, rows);
  sheet = { canvas, image, cells: new Uint32Array(image.data.buffer) };
  return sheet;
}

function picture(paint: Paint, frame: Frame): HTMLCanvasElement {
  const { reel, look } = paint;
  const { canvas, image, cells } = sheetOf(reel.scene.columns, reel.scene.rows);
  const ground = pixel(look.dark ? "rgb(27,26,24)" : "rgb(251,249,244)");
  const land = reel.tokens.land.map((token) =>
    owned(look.seats, token?.owner, look.dark ? -0.45 : 0.48),
  );
  const band = reel.tokens.bands.map((token) => owned(look.seats, token?.owner, 0));
  const { land: lands, bands } = frame.layers;
  for (let cell = 0; cell < cells.length; cell++) {
    cells[cell] = bands[cell] ? band[bands[cell]] : lands[cell] ? land[lands[cell]] : ground;
  }
  canvas.getContext("2d")!.putImageData(image, 0, 0);
  return canvas;
}

function owned(seats: string[], owner: number | null | undefined, by: number): number {
  return owner === null || owner === undefined ? 0 : pixel(shade(seats[owner], by));
}

/** `rgb(…)` as a pixel of little-endian RGBA. */
function pixel(colour: string): number {
  const [r, g, b] = colour.match(/\d+/g)!.map(Number);
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

function grid(paint: Paint): void {
  const { ctx, at, reel, look } = paint;
  if (at.cell < MIN_GRID_CELL) return;
  const { rows, columns } = reel.scene;
  ctx.beginPath();
  for (let x = 1; x < columns; x++) {
    ctx.moveTo(Math.round(at.left + x * at.cell) + 0.5, at.top);
    ctx.lineTo(Math.round(at.left + x * at.cell) + 0.5, at.top + rows * at.cell);
  }
  for (let y = 1; y < rows; y++) {
    ctx.moveTo(at.left, Math.round(at.top + y * at.cell) + 0.5);
    ctx.lineTo(at.left + columns * at.cell, Math.round(at.top + y * at.cell) + 0.5);
  }
  ctx.lineWidth = 1;
  ctx.strokeStyle = look.dark ? "rgba(255,255,255,0.06)" : "rgba(60,50,30,0.08)";
  ctx.stroke();
}

/** The corner for the small map: the first that hides no trail and no head, from the top right. */
function freeCorner(paint: Paint, frame: Frame, w: number, h: number): [number, number] {
  const { at, reel } = paint;
  const { width, height } = paint.window!;
  const [right, bottom] = [width - w - 10, height - h - 10];
  const corners: [number, number][] = [
    [right, 10],
    [10, 10],
    [right, bottom],
    [10, bottom],
  ];
  const hides = ([left, top]: [number, number]): boolean =>
    frame.layers.bands.some((code, cell) => {
      if (!code && !frame.layers.heads[cell]) return false;
      const [x, y] = middle(at, cell % reel.scene.columns, Math.floor(cell / reel.scene.columns));
      const near = 4 + at.cell;
      return x > left - near && x < left + w + near && y > top - near && y < top + h + near;
    });
  return corners.find((corner) => !hides(corner)) ?? corners[0];
}

/** The whole field in a corner: where the heads are, and what the camera shows. */
function minimap(paint: Paint, frame: Frame, field: HTMLCanvasElement): void {
  const { ctx, at, reel, look } = paint;
  const { width, height } = paint.window!;
  const { rows, columns } = reel.scene;
  const scale = (Math.min(width, height) * 0.26) / Math.max(rows, columns);
  const [w, h] = [columns * scale, rows * scale];
  const [left, top] = freeCorner(paint, frame, w, h);
  ctx.fillStyle = look.surface;
  rounded(ctx, left - 4, top - 4, w + 8, h + 8, 6);
  ctx.fill();
  ctx.strokeStyle = look.faint;
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.drawImage(field, left, top, w, h);
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, w, h);
  ctx.clip();
  ctx.strokeStyle = look.ink;
  ctx.lineWidth = 1.5;
  const [x, y] = [left - (at.left / at.cell) * scale, top - (at.top / at.cell) * scale];
  ctx.strokeRect(x, y, (width / at.cell) * scale, (height / at.cell) * scale);
  frame.layers.heads.forEach((code, cell) => {
    const token = reel.token("heads", code);
    if (!token) return;
    ctx.beginPath();
    const [hx, hy] = [cell % columns, Math.floor(cell / columns)];
    ctx.arc(left + (hx + 0.5) * scale, top + (hy + 0.5) * scale, 3.5, 0, 2 * Math.PI);
    ctx.fillStyle = shade(look.seats[token.owner ?? 0], look.dark ? 0.35 : -0.35);
    ctx.fill();
  });
  ctx.restore();
}

/** Land won by this very step glows. */
function gained(paint: Paint, shot: Shot): void {
  const fill = shot.frame.events.find((event) => event.kind === "fill");
  if (!fill?.cells?.length) return;
  const { ctx, at, reel } = paint;
  ctx.fillStyle = "rgba(255,255,255,0.4)";
  for (const cell of fill.cells) {
    const [x, y] = [cell % reel.scene.columns, Math.floor(cell / reel.scene.columns)];
    ctx.fillRect(at.left + x * at.cell, at.top + y * at.cell, at.cell + 0.5, at.cell + 0.5);
  }
}

function heads(paint: Paint, frame: Frame): void {
  const { ctx, at, reel, look } = paint;
  frame.layers.heads.forEach((code, cell) => {
    const token = reel.token("heads", code);
    if (!token) return;
    const [x, y] = middle(at, cell % reel.scene.columns, Math.floor(cell / reel.scene.columns));
    const radius = Math.max(at.cell * 0.9, 5);
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate(((token.heading ?? 0) * Math.PI) / 2);
    ctx.beginPath();
    ctx.moveTo(radius * 1.35, 0);
    ctx.lineTo(-radius * 0.8, radius);
    ctx.lineTo(-radius * 0.35, 0);
    ctx.lineTo(-radius * 0.8, -radius);
    ctx.closePath();
    ctx.fillStyle = shade(look.seats[token.owner ?? 0], look.dark ? 0.35 : -0.35);
    ctx.fill();
    ctx.lineWidth = 1.5;
    ctx.strokeStyle = look.dark ? "#1b1a18" : "#ffffff";
    ctx.stroke();
    ctx.restore();
  });
}
