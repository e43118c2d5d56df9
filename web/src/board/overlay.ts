/** What a person at the board is shown on top of it: where moves begin and end, and the cursor. */

import { corner, disc, type Paint, rounded, type Skin } from "./paint";

export interface Overlay {
  /** Cells that a move may name or end on. */
  targets: number[];
  /** Cells that a move may begin on. */
  sources: number[];
  selected: number | null;
  /** The cell that the keyboard is on. */
  cursor: number | null;
}

export function drawOverlay(paint: Paint, overlay: Overlay, skin: Skin): void {
  const { look } = paint;
  for (const cell of overlay.sources) {
    const [x, y] = corner(paint, cell);
    const colour = look.dark ? "rgba(125,178,255,0.55)" : "rgba(31,102,199,0.4)";
    ring(paint, x, y, skin.sourceColour ?? colour, skin.sourceColour ? 0.05 : 0.035);
  }
  for (const cell of overlay.targets) (skin.target ?? dot)(paint, cell);
  if (overlay.selected !== null) {
    const [x, y] = corner(paint, overlay.selected);
    ring(paint, x, y, look.dark ? "#7db2ff" : "#1f66c7", 0.08);
  }
  if (overlay.cursor !== null) {
    const [x, y] = corner(paint, overlay.cursor);
    ring(paint, x, y, "#fff", 0.1);
    ring(paint, x, y, look.dark ? "#7db2ff" : "#1f66c7", 0.05);
  }
}

function dot(paint: Paint, cell: number): void {
  const { ctx, at, look } = paint;
  const [x, y] = corner(paint, cell);
  disc(ctx, x + at.cell / 2, y + at.cell / 2, Math.max(at.cell * 0.13, 2.5));
  ctx.fillStyle = look.dark ? "rgba(125,178,255,0.85)" : "rgba(31,102,199,0.7)";
  ctx.fill();
  ctx.lineWidth = Math.max(at.cell * 0.03, 1);
  ctx.strokeStyle = "rgba(255,255,255,0.8)";
  ctx.stroke();
}

function ring(paint: Paint, x: number, y: number, colour: string, weight: number): void {
  const { ctx, at } = paint;
  const pad = at.cell * 0.05;
  ctx.lineWidth = Math.max(at.cell * weight, 1.5);
  ctx.strokeStyle = colour;
  rounded(ctx, x + pad, y + pad, at.cell - 2 * pad, at.cell - 2 * pad, at.cell * 0.14);
  ctx.stroke();
}
