/** Arrows, rings and marks over a board, of an analysis or of a bot's note. */

import type { BoardShape } from "../api/generated";
import { corner, disc, label, type Paint } from "./paint";

type Tone = NonNullable<BoardShape["tone"]>;

const TONES: Record<Tone, { light: string; dark: string }> = {
  plain: { light: "#1f66c7", dark: "#7db2ff" },
  good: { light: "#15803d", dark: "#4ade80" },
  doubtful: { light: "#b45309", dark: "#fbbf24" },
  bad: { light: "#b91c1c", dark: "#f87171" },
};

/** Shapes may come from strangers: what does not lie on the board is left out. */
export function drawShapes(paint: Paint, shapes: readonly BoardShape[]): void {
  const cells = paint.reel.scene.rows * paint.reel.scene.columns;
  const known = shapes.filter((shape) => shape.cell < cells && (shape.to ?? 0) < cells);
  for (const shape of known) if (shape.kind === "mark") drawMark(paint, shape);
  for (const shape of known) if (shape.kind === "ring") drawRing(paint, shape);
  for (const shape of known) if (shape.kind === "arrow") drawArrow(paint, shape);
}

function toneOf(paint: Paint, shape: BoardShape): string {
  const tone = TONES[shape.tone ?? "plain"] ?? TONES.plain;
  return paint.look.dark ? tone.dark : tone.light;
}

function centre(paint: Paint, cell: number): [number, number] {
  const [x, y] = corner(paint, cell);
  return [x + paint.at.cell / 2, y + paint.at.cell / 2];
}

function drawMark(paint: Paint, shape: BoardShape): void {
  const { ctx, at } = paint;
  const [x, y] = corner(paint, shape.cell);
  ctx.globalAlpha = 0.42;
  ctx.fillStyle = toneOf(paint, shape);
  ctx.fillRect(x, y, at.cell, at.cell);
  ctx.globalAlpha = 1;
  drawText(paint, shape);
}

/** A ring has a pale edge, so that it can be seen on pieces and boards of every colour. */
function drawRing(paint: Paint, shape: BoardShape): void {
  const { ctx, at } = paint;
  const [x, y] = centre(paint, shape.cell);
  const weight = Math.max(at.cell * 0.075, 1.5);
  disc(ctx, x, y, at.cell * 0.44);
  ctx.lineWidth = weight * 1.7;
  ctx.strokeStyle = edgeOf(paint);
  ctx.stroke();
  ctx.lineWidth = weight;
  ctx.strokeStyle = toneOf(paint, shape);
  ctx.stroke();
  drawText(paint, shape);
}

function edgeOf(paint: Paint): string {
  return paint.look.dark ? "rgba(0,0,0,0.55)" : "rgba(255,255,255,0.8)";
}

function drawText(paint: Paint, shape: BoardShape): void {
  if (!shape.text || paint.at.cell < 14) return;
  const { ctx, at, look } = paint;
  const [x, y] = centre(paint, shape.cell);
  ctx.save();
  ctx.fillStyle = look.dark ? "#fff" : "#111";
  ctx.lineWidth = Math.max(at.cell * 0.06, 2);
  ctx.lineJoin = "round";
  ctx.strokeStyle = look.dark ? "rgba(0,0,0,0.75)" : "rgba(255,255,255,0.9)";
  label(paint, shape.text, x, y, at.cell * 0.34, at.cell * 0.86, 700, true);
  ctx.restore();
}

function drawArrow(paint: Paint, shape: BoardShape): void {
  const { ctx, at } = paint;
  const [x, y] = centre(paint, shape.cell);
  const [tx, ty] = centre(paint, shape.to ?? shape.cell);
  const length = Math.hypot(tx - x, ty - y);
  if (length === 0) return drawRing(paint, shape);
  const size = Math.max(at.cell, 9);
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(Math.atan2(ty - y, tx - x));
  outlineArrow(ctx, length, size);
  ctx.globalAlpha = 0.88;
  ctx.lineJoin = "round";
  ctx.lineWidth = Math.max(size * 0.05, 1);
  ctx.strokeStyle = edgeOf(paint);
  ctx.stroke();
  ctx.fillStyle = toneOf(paint, shape);
  ctx.fill();
  ctx.restore();
}

/** An arrow along the x axis, from the edge of the first piece to the middle of the last cell. */
function outlineArrow(ctx: CanvasRenderingContext2D, length: number, size: number): void {
  const [half, wing, head] = [size * 0.075, size * 0.22, Math.min(size * 0.4, length * 0.6)];
  const start = Math.min(size * 0.18, length * 0.2);
  const neck = length - head;
  ctx.beginPath();
  ctx.moveTo(start, -half);
  ctx.lineTo(neck, -half);
  ctx.lineTo(neck, -wing);
  ctx.lineTo(length, 0);
  ctx.lineTo(neck, wing);
  ctx.lineTo(neck, half);
  ctx.lineTo(start, half);
  ctx.closePath();
}
