/** Reversi: a green cloth and discs that turn over. */

import { coordinates, disc, middle, type Paint, rounded, type Skin, sprites } from "../board/paint";
import { gridLines, turningStone } from "./shared";

const CLOTH = { light: "#3f8f63", dark: "#2f6b4b" };

export const reversi: Skin = {
  name: "reversi",
  title: { en: "Green cloth", zh: "绿绒" },
  pace: 800,
  animated: true,
  margin: (_, small) =>
    small
      ? { left: 0.15, right: 0.15, top: 0.15, bottom: 0.15 }
      : { left: 0.55, right: 0.3, top: 0.3, bottom: 0.55 },
  seatColours: (look) => (look.dark ? ["#0c0d0c", "#f4f1ea"] : ["#1d201e", "#fbfaf6"]),
  lineColours: (look) => (look.dark ? ["#6d7872", "#f4f1ea"] : ["#1d201e", "#a49b8d"]),
  notable: (reel, n) => {
    const turned = reel.steps[n - 1]?.events?.filter((event) => event.kind === "flip").length ?? 0;
    return turned >= 5 ? Math.min(turned / 12, 1) : 0;
  },
  cellName: (reel, cell) => {
    const { columns } = reel.scene;
    return String.fromCharCode(97 + (cell % columns)) + (Math.floor(cell / columns) + 1);
  },
  draw(paint, shot) {
    cloth(paint);
    for (const sprite of sprites(paint, shot)) turningStone(paint, sprite);
    if (!shot.motion) markLast(paint, shot.frame.status.marks.last ?? []);
  },
};

function cloth(paint: Paint): void {
  const { ctx, at, look, reel } = paint;
  const { rows, columns } = reel.scene;
  const pad = at.cell * 0.12;
  rounded(
    ctx,
    at.left - pad,
    at.top - pad,
    columns * at.cell + 2 * pad,
    rows * at.cell + 2 * pad,
    at.cell * 0.14,
  );
  ctx.fillStyle = look.dark ? "#1d4430" : "#2a6a48";
  ctx.fill();
  ctx.fillStyle = look.dark ? CLOTH.dark : CLOTH.light;
  ctx.fillRect(at.left, at.top, columns * at.cell, rows * at.cell);
  gridLines(paint, "rgba(0,0,0,0.3)", Math.max(at.cell * 0.02, 1));
  if (columns >= 8) stars(paint);
  if (at.width > columns * at.cell * 1.05) coordinates(paint, look.soft, (row) => String(row + 1));
}

function stars(paint: Paint): void {
  const { ctx, at, reel } = paint;
  const { rows, columns } = reel.scene;
  ctx.fillStyle = "rgba(0,0,0,0.45)";
  for (const x of [2, columns - 2]) {
    for (const y of [2, rows - 2]) {
      disc(ctx, at.left + x * at.cell, at.top + y * at.cell, at.cell * 0.06);
      ctx.fill();
    }
  }
}

function markLast(paint: Paint, cells: number[]): void {
  for (const cell of cells) {
    const { columns } = paint.reel.scene;
    const [x, y] = middle(paint.at, cell % columns, Math.floor(cell / columns));
    disc(paint.ctx, x, y, paint.at.cell * 0.09);
    paint.ctx.fillStyle = "#e5533d";
    paint.ctx.fill();
  }
}
