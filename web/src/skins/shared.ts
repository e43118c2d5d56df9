/** Strokes that several skins share. */

import type { Sprite } from "../board/motion";
import { corner, disc, middle, type Paint, rounded, type Shot } from "../board/paint";
import type { Reel } from "../film/reel";

/** Events that happen in nearly every step. */
const COMMON = new Set(["slide", "put", "step", "swap", "fall", "flip", "merge", "move", "drop"]);

/** A step with rare events is remarkable, the more the more cells they name. */
export function rareEvents(reel: Reel, n: number): number {
  let weight = 0;
  for (const event of reel.steps[n - 1]?.events ?? []) {
    if (!COMMON.has(event.kind)) weight += 0.35 + Math.min((event.cells?.length ?? 1) / 40, 0.65);
  }
  return Math.min(weight, 1);
}

/** A frame around each cell that the last move touched. */
export function frameLast(paint: Paint, shot: Shot, colour: string, mark = "last"): void {
  if (shot.motion) return;
  const { ctx, at } = paint;
  const inset = at.cell * 0.05;
  ctx.lineWidth = Math.max(at.cell * 0.055, 1.5);
  ctx.strokeStyle = colour;
  for (const cell of shot.frame.status.marks[mark] ?? []) {
    const [x, y] = corner(paint, cell);
    rounded(ctx, x + inset, y + inset, at.cell - 2 * inset, at.cell - 2 * inset, at.cell * 0.12);
    ctx.stroke();
  }
}

export function tintCells(paint: Paint, cells: number[], colour: string): void {
  paint.ctx.fillStyle = colour;
  for (const cell of cells) {
    const [x, y] = corner(paint, cell);
    paint.ctx.fillRect(x, y, paint.at.cell, paint.at.cell);
  }
}

export function gridLines(paint: Paint, colour: string, width: number): void {
  const { ctx, at, reel } = paint;
  const { rows, columns } = reel.scene;
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  for (let x = 0; x <= columns; x++) {
    ctx.moveTo(at.left + x * at.cell, at.top);
    ctx.lineTo(at.left + x * at.cell, at.top + rows * at.cell);
  }
  for (let y = 0; y <= rows; y++) {
    ctx.moveTo(at.left, at.top + y * at.cell);
    ctx.lineTo(at.left + columns * at.cell, at.top + y * at.cell);
  }
  ctx.stroke();
}

/** A round stone with a little light on it. */
export function stone(
  paint: Paint,
  x: number,
  y: number,
  radius: number,
  light: string,
  dark: string,
): void {
  const { ctx } = paint;
  disc(ctx, x, y + radius * 0.09, radius);
  ctx.fillStyle = "rgba(0,0,0,0.28)";
  ctx.fill();
  const glow = ctx.createRadialGradient(
    x - radius * 0.35,
    y - radius * 0.4,
    radius * 0.1,
    x,
    y,
    radius,
  );
  glow.addColorStop(0, light);
  glow.addColorStop(1, dark);
  disc(ctx, x, y, radius);
  ctx.fillStyle = glow;
  ctx.fill();
}

/** How large a piece is while it comes and goes. */
export function presence(sprite: Sprite): { scale: number; alpha: number } {
  const grow = sprite.born < 1 ? 0.4 + 0.6 * overshoot(sprite.born) : 1;
  const turning =
    sprite.turn > 0 && sprite.turn < 1 ? 1 + 0.14 * Math.sin(Math.PI * sprite.turn) : 1;
  return {
    scale: grow * turning * (1 - 0.3 * sprite.gone),
    alpha: sprite.born * (1 - sprite.gone),
  };
}

function overshoot(t: number): number {
  const u = t - 1;
  return 1 + 2.2 * u * u * u + 1.2 * u * u;
}

export { middle };

/** A black or a white stone, by the token's role, which may be turning to the other side. */
export function turningStone(paint: Paint, sprite: Sprite): void {
  const { ctx, at } = paint;
  const [x, y] = middle(at, sprite.x, sprite.y);
  const token = sprite.turn > 0.5 ? sprite.next : sprite.token;
  if (!token) return;
  const turning = sprite.turn > 0 && sprite.turn < 1;
  ctx.save();
  ctx.translate(x, y);
  if (turning) ctx.scale(Math.max(Math.abs(Math.cos(Math.PI * sprite.turn)), 0.06), 1);
  ctx.globalAlpha = sprite.born * (1 - sprite.gone);
  const radius = at.cell * 0.4 * (0.7 + 0.3 * sprite.born);
  if (token.role === "black") stone(paint, 0, 0, radius, "#4c514e", "#101211");
  else stone(paint, 0, 0, radius, "#ffffff", "#d9d6cc");
  ctx.restore();
}
