/** Uno: cards on a table; above them how many everybody holds. */

import type { Sprite } from "../board/motion";
import {
  corner,
  disc,
  label,
  middle,
  type Paint,
  rounded,
  type Shot,
  type Skin,
  sprites,
} from "../board/paint";
import type { BoardToken } from "../api/generated";
import { presence, rareEvents } from "./shared";

const COLOURS: Record<string, string> = {
  red: "#d8412f",
  yellow: "#eab41f",
  green: "#3f9a4a",
  blue: "#2a6fc4",
};
const WHEEL = Object.values(COLOURS);
const BLACK = "#20242a";
/** A card in its cell. */
const WIDE = 0.74;
const HIGH = 0.96;
/** Cards on the table, in the first row, are so much smaller and lie so much higher: the hand below
 * does not touch them. */
const TABLE_SCALE = 0.87;
const TABLE_LIFT = 0.06;

export const uno: Skin = {
  name: "uno",
  title: { en: "Card table", zh: "牌桌" },
  pace: 900,
  animated: true,
  refusal: { en: "This card cannot be played now.", zh: "现在不能出这张牌。" },
  margin: (reel, small) =>
    small || !Array.isArray(reel.counters[0].cards)
      ? { left: 0.2, right: 0.2, top: 0.2, bottom: 0.2 }
      : { left: 0.15, right: 0.15, top: 1.15, bottom: 0.2 },
  seatColours: (look) => look.seats,
  notable: rareEvents,
  draw(paint, shot) {
    table(paint);
    hands(paint, shot);
    for (const sprite of sprites(paint, shot)) card(paint, sprite);
  },
  target(paint, cell) {
    const { ctx, at, reel } = paint;
    const [x, y] = corner(paint, cell);
    const onTable = cell < reel.scene.columns ? 1 : 0;
    const [w, h] = sizeOf(at.cell, onTable);
    const gap = at.cell * 0.03;
    const lift = at.cell * TABLE_LIFT * onTable;
    const [left, top] = [x + (at.cell - w) / 2 - gap, y - lift + (at.cell - h) / 2 - gap];
    rounded(ctx, left, top, w + 2 * gap, h + 2 * gap, w * 0.18);
    ctx.lineWidth = Math.max(at.cell * 0.05, 2);
    ctx.strokeStyle = "#ffe9a8";
    ctx.stroke();
  },
};

/** Width and height of a card that is on the table (1), in the hand (0) or in between. */
function sizeOf(cell: number, onTable: number): [number, number] {
  const scale = 1 - (1 - TABLE_SCALE) * onTable;
  return [cell * WIDE * scale, cell * HIGH * scale];
}

function table(paint: Paint): void {
  const { ctx, at, look, reel } = paint;
  const pad = at.cell * 0.12;
  const { rows, columns } = reel.scene;
  const above = at.top - (at.height - rows * at.cell) / 2 > at.cell * 0.1 ? at.cell : 0;
  rounded(
    ctx,
    at.left - pad,
    at.top - above - pad / 2,
    columns * at.cell + 2 * pad,
    rows * at.cell + above + 1.5 * pad,
    at.cell * 0.3,
  );
  ctx.fillStyle = look.dark ? "#1f4a44" : "#2f7268";
  ctx.fill();
}

/** One small fan for every seat; the seat to move is framed. */
function hands(paint: Paint, shot: Shot): void {
  const { ctx, at, look, reel } = paint;
  const counts = shot.frame.status.counters.cards;
  if (!Array.isArray(counts) || at.height < (reel.scene.rows + 1) * at.cell) return;
  const wide = (reel.scene.columns * at.cell) / counts.length;
  counts.forEach((count, seat) => {
    const [x, y] = [at.left + wide * (seat + 0.5), at.top - at.cell * 0.5];
    const name = paint.names[seat];
    if (shot.frame.status.to_move.includes(seat)) {
      rounded(
        ctx,
        x - wide * 0.46,
        y - at.cell * 0.42,
        wide * 0.92,
        at.cell * 0.84,
        at.cell * 0.14,
      );
      ctx.fillStyle = "rgba(255,255,255,0.16)";
      ctx.fill();
    }
    const low = name ? y + at.cell * 0.13 : y;
    fan(paint, x, low, Math.min(count, 12), wide * 0.5);
    disc(ctx, x - wide * 0.36, low, at.cell * 0.17);
    ctx.fillStyle = look.seats[seat] ?? look.soft;
    ctx.fill();
    ctx.fillStyle = "#ffffff";
    label(paint, String(count), x - wide * 0.36, low, at.cell * 0.22, at.cell * 0.3, 700);
    if (name) label(paint, name, x, y - at.cell * 0.27, at.cell * 0.19, wide * 0.86, 650);
  });
}

function fan(paint: Paint, x: number, y: number, count: number, wide: number): void {
  const { cell } = paint.at;
  const [w, h] = [cell * 0.3, cell * 0.44];
  const apart = Math.min(w * 0.7, count > 1 ? (wide - w) / (count - 1) : 0);
  for (let i = 0; i < count; i++) {
    back(paint, x - w / 2 + (i - (count - 1) / 2) * apart + wide * 0.12, y - h / 2, w, h);
  }
}

function card(paint: Paint, sprite: Sprite): void {
  const token = sprite.turn > 0.5 ? sprite.next : sprite.token;
  if (!token) return;
  const { ctx, at } = paint;
  const onTable = Math.min(Math.max(1 - sprite.y, 0), 1);
  const [x, low] = middle(at, sprite.x, sprite.y);
  const y = low - at.cell * TABLE_LIFT * onTable;
  const { scale, alpha } = presence(sprite);
  const [w, h] = sizeOf(at.cell * scale, onTable);
  ctx.globalAlpha = alpha;
  if (token.role === "back") {
    for (const lift of [4, 2, 0]) back(paint, x - w / 2 - lift, y - h / 2 - lift, w, h);
  } else {
    face(paint, token, x, y, w, h);
  }
  ctx.globalAlpha = 1;
}

function back(paint: Paint, left: number, top: number, w: number, h: number): void {
  const { ctx } = paint;
  rounded(ctx, left, top, w, h, w * 0.14);
  ctx.fillStyle = "#f6f4ee";
  ctx.fill();
  ctx.strokeStyle = "rgba(0,0,0,0.25)";
  ctx.lineWidth = 1;
  ctx.stroke();
  rounded(ctx, left + w * 0.08, top + w * 0.08, w * 0.84, h - w * 0.16, w * 0.1);
  ctx.fillStyle = BLACK;
  ctx.fill();
  oval(ctx, left + w / 2, top + h / 2, w * 0.3, h * 0.34);
  ctx.fillStyle = COLOURS.red;
  ctx.fill();
}

function face(paint: Paint, token: BoardToken, x: number, y: number, w: number, h: number): void {
  const { ctx } = paint;
  const colour = COLOURS[token.role ?? ""];
  rounded(ctx, x - w / 2, y - h / 2, w, h, w * 0.14);
  ctx.fillStyle = "#fbfaf6";
  ctx.fill();
  ctx.strokeStyle = "rgba(0,0,0,0.28)";
  ctx.lineWidth = 1;
  ctx.stroke();
  rounded(ctx, x - w * 0.43, y - h / 2 + w * 0.07, w * 0.86, h - w * 0.14, w * 0.1);
  ctx.fillStyle = colour ?? BLACK;
  ctx.fill();
  const wild = token.glyph === "★" || token.glyph === "+4";
  if (wild) wheel(ctx, x, y, w * 0.34, h * 0.36);
  oval(ctx, x, y, w * (wild ? 0.2 : 0.33), h * (wild ? 0.22 : 0.37));
  ctx.fillStyle = wild ? BLACK : "#fbfaf6";
  ctx.fill();
  ctx.fillStyle = wild ? "#ffffff" : (colour ?? BLACK);
  label(paint, token.glyph, x, y, w * (wild ? 0.34 : 0.56), w * 0.52, 800);
  if (w < 30) return;
  ctx.fillStyle = "#ffffff";
  label(paint, token.glyph, x - w * 0.29, y - h * 0.38, w * 0.2, w * 0.22, 700);
  label(paint, token.glyph, x + w * 0.29, y + h * 0.38, w * 0.2, w * 0.22, 700);
}

function wheel(ctx: CanvasRenderingContext2D, x: number, y: number, a: number, b: number): void {
  WHEEL.forEach((colour, i) => {
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.ellipse(x, y, a, b, 0, (i * Math.PI) / 2, ((i + 1) * Math.PI) / 2);
    ctx.fillStyle = colour;
    ctx.fill();
  });
}

function oval(ctx: CanvasRenderingContext2D, x: number, y: number, a: number, b: number): void {
  ctx.beginPath();
  ctx.ellipse(x, y, a, b, 0.35, 0, 2 * Math.PI);
}
