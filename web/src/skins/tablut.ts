/** The Tablut family: a wooden board, a throne, and pieces that are taken between two others. */

import type { Sprite } from "../board/motion";
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
import { gridLines, rareEvents, stone, tintCells } from "./shared";

const WOOD = {
  light: {
    frame: "#9a7347",
    board: "#e3c491",
    line: "rgba(92,60,24,0.45)",
    goal: "#f0dcb4",
    camp: "#c79c63",
  },
  dark: {
    frame: "#4a3620",
    board: "#a9834f",
    line: "rgba(40,24,8,0.5)",
    goal: "#bd9a66",
    camp: "#835f34",
  },
};

export const tablut: Skin = {
  name: "tablut",
  title: { en: "Wood", zh: "木棋盘" },
  pace: 900,
  animated: true,
  margin: (_, small) =>
    small
      ? { left: 0.15, right: 0.15, top: 0.15, bottom: 0.15 }
      : { left: 0.6, right: 0.3, top: 0.3, bottom: 0.6 },
  seatColours: () => ["#f3e6cb", "#3a2b22"],
  lineColours: (look) => (look.dark ? ["#ecd6a8", "#9a7560"] : ["#c2923f", "#3a2b22"]),
  notable: rareEvents,
  cellName: (reel, cell) => {
    const { columns, rows } = reel.scene;
    return String.fromCharCode(97 + (cell % columns)) + (rows - Math.floor(cell / columns));
  },
  draw(paint, shot) {
    board(paint);
    lastMove(paint, shot);
    const shown = sprites(paint, shot);
    for (const sprite of shown) if (!sprite.moving) piece(paint, sprite);
    for (const sprite of shown) if (sprite.moving) piece(paint, sprite);
    if (!shot.motion) captured(paint, shot.frame.status.marks.captured ?? []);
  },
};

function board(paint: Paint): void {
  const { ctx, at, look, reel } = paint;
  const { rows, columns } = reel.scene;
  const wood = look.dark ? WOOD.dark : WOOD.light;
  const pad = at.cell * 0.13;
  rounded(
    ctx,
    at.left - pad,
    at.top - pad,
    columns * at.cell + 2 * pad,
    rows * at.cell + 2 * pad,
    at.cell * 0.14,
  );
  ctx.fillStyle = wood.frame;
  ctx.fill();
  ctx.fillStyle = wood.board;
  ctx.fillRect(at.left, at.top, columns * at.cell, rows * at.cell);
  for (const zone of reel.scene.zones ?? []) {
    if (zone.owner !== null) tintCells(paint, zone.cells, zone.owner === 0 ? wood.goal : wood.camp);
  }
  gridLines(paint, wood.line, Math.max(at.cell * 0.022, 1));
  for (const zone of reel.scene.zones ?? []) {
    if (zone.cells.length <= 4) zone.cells.forEach((cell) => sign(paint, cell, wood.line));
  }
  if (at.width > columns * at.cell * 1.05)
    coordinates(paint, look.soft, (row) => String(rows - row));
}

/** A knot on the throne and on corners. */
function sign(paint: Paint, cell: number, colour: string): void {
  const { ctx, at } = paint;
  const [x, y] = corner(paint, cell);
  const pad = at.cell * 0.14;
  const side = at.cell - 2 * pad;
  ctx.strokeStyle = colour;
  ctx.lineWidth = Math.max(at.cell * 0.03, 1);
  ctx.strokeRect(x + pad, y + pad, side, side);
  ctx.beginPath();
  ctx.moveTo(x + pad, y + pad);
  ctx.lineTo(x + pad + side, y + pad + side);
  ctx.moveTo(x + pad + side, y + pad);
  ctx.lineTo(x + pad, y + pad + side);
  ctx.stroke();
}

function lastMove(paint: Paint, shot: Shot): void {
  tintCells(paint, shot.frame.status.marks.last ?? [], "rgba(214,150,20,0.34)");
}

function piece(paint: Paint, sprite: Sprite): void {
  const { ctx, at } = paint;
  const [x, y] = middle(at, sprite.x, sprite.y);
  const radius = at.cell * 0.38 * (0.7 + 0.3 * sprite.born) * (1 - 0.4 * sprite.gone);
  ctx.globalAlpha = sprite.born * (1 - sprite.gone);
  switch (sprite.token?.role) {
    case "attacker":
      stone(paint, x, y, radius, "#6b5446", "#241a15");
      break;
    case "king":
      stone(paint, x, y, radius * 1.06, "#fff8e2", "#e0c176");
      crown(paint, x, y, radius);
      break;
    default:
      stone(paint, x, y, radius, "#fffaf0", "#dcc9a4");
  }
  ctx.globalAlpha = 1;
}

function crown(paint: Paint, x: number, y: number, radius: number): void {
  const { ctx } = paint;
  const [w, h] = [radius * 0.62, radius * 0.46];
  ctx.beginPath();
  ctx.moveTo(x - w, y + h);
  ctx.lineTo(x - w, y - h * 0.6);
  ctx.lineTo(x - w * 0.45, y + h * 0.1);
  ctx.lineTo(x, y - h * 1.15);
  ctx.lineTo(x + w * 0.45, y + h * 0.1);
  ctx.lineTo(x + w, y - h * 0.6);
  ctx.lineTo(x + w, y + h);
  ctx.closePath();
  ctx.fillStyle = "#a3402c";
  ctx.fill();
}

/** A faint cross where a piece has just been taken. */
function captured(paint: Paint, cells: number[]): void {
  const { ctx, at, reel } = paint;
  ctx.strokeStyle = "rgba(179,38,30,0.75)";
  ctx.lineWidth = Math.max(at.cell * 0.05, 1.5);
  for (const cell of cells) {
    const [x, y] = middle(at, cell % reel.scene.columns, Math.floor(cell / reel.scene.columns));
    const r = at.cell * 0.16;
    ctx.beginPath();
    ctx.moveTo(x - r, y - r);
    ctx.lineTo(x + r, y + r);
    ctx.moveTo(x + r, y - r);
    ctx.lineTo(x - r, y + r);
    ctx.stroke();
    disc(ctx, x, y, r * 1.9);
    ctx.stroke();
  }
}
