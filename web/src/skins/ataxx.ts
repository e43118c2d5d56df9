/** Ataxx: a board of tiles, and stones that split, jump and turn over. */

import {
  coordinates,
  corner,
  disc,
  middle,
  type Paint,
  rounded,
  type Shot,
  type Skin,
  sprites,
} from "../board/paint";
import { tintCells, turningStone } from "./shared";

const SLATE = {
  light: { frame: "#4d6a80", even: "#a9c0cf", odd: "#9db5c6", last: "rgba(240,190,80,0.6)" },
  dark: { frame: "#27394a", even: "#5a7386", odd: "#526a7d", last: "rgba(214,160,50,0.5)" },
};

export const ataxx: Skin = {
  name: "ataxx",
  title: { en: "Slate", zh: "石板" },
  pace: 800,
  animated: true,
  margin: (_, small) =>
    small
      ? { left: 0.15, right: 0.15, top: 0.15, bottom: 0.15 }
      : { left: 0.55, right: 0.3, top: 0.3, bottom: 0.55 },
  seatColours: (look) => (look.dark ? ["#0c0d0c", "#f4f1ea"] : ["#1d201e", "#fbfaf6"]),
  lineColours: (look) => (look.dark ? ["#6d7872", "#f4f1ea"] : ["#1d201e", "#8a9aa6"]),
  notable: (reel, n) => {
    const turned = reel.steps[n - 1]?.events?.filter((event) => event.kind === "flip").length ?? 0;
    return turned >= 4 ? turned / 8 : 0;
  },
  cellName: (reel, cell) => {
    const { columns } = reel.scene;
    return String.fromCharCode(97 + (cell % columns)) + (Math.floor(cell / columns) + 1);
  },
  draw(paint, shot) {
    tiles(paint);
    lastMove(paint, shot);
    const shown = sprites(paint, shot);
    for (const sprite of shown) if (!sprite.moving) turningStone(paint, sprite);
    for (const sprite of shown) if (sprite.moving) turningStone(paint, sprite);
    if (!shot.motion) markTurned(paint, shot.frame.status.marks.turned ?? []);
  },
};

function tiles(paint: Paint): void {
  const { ctx, at, look, reel } = paint;
  const { rows, columns } = reel.scene;
  const slate = look.dark ? SLATE.dark : SLATE.light;
  const pad = at.cell * 0.12;
  const [width, height] = [columns * at.cell + 2 * pad, rows * at.cell + 2 * pad];
  rounded(ctx, at.left - pad, at.top - pad, width, height, at.cell * 0.16);
  ctx.fillStyle = slate.frame;
  ctx.fill();
  const gap = Math.max(at.cell * 0.025, 0.5);
  for (let cell = 0; cell < rows * columns; cell++) {
    const [x, y] = corner(paint, cell);
    const even = ((cell % columns) + Math.floor(cell / columns)) % 2 === 0;
    rounded(ctx, x + gap, y + gap, at.cell - 2 * gap, at.cell - 2 * gap, at.cell * 0.1);
    ctx.fillStyle = even ? slate.even : slate.odd;
    ctx.fill();
  }
  if (at.width > columns * at.cell * 1.05) coordinates(paint, look.soft, (row) => String(row + 1));
}

/** Where the last piece was put, and where it jumped from. */
function lastMove(paint: Paint, shot: Shot): void {
  const slate = paint.look.dark ? SLATE.dark : SLATE.light;
  tintCells(paint, shot.frame.status.marks.last ?? [], slate.last);
}

/** A dot on each piece that has just turned. */
function markTurned(paint: Paint, cells: number[]): void {
  const { columns } = paint.reel.scene;
  for (const cell of cells) {
    const [x, y] = middle(paint.at, cell % columns, Math.floor(cell / columns));
    disc(paint.ctx, x, y, paint.at.cell * 0.07);
    paint.ctx.fillStyle = "#e5533d";
    paint.ctx.fill();
  }
}
