/** Eraser: pieces fall, vanish and fly to whoever erased them; bars show what is left above. */

import type { Sprite } from "../board/motion";
import {
  disc,
  label,
  type Margin,
  middle,
  type Paint,
  rounded,
  type Shot,
  type Skin,
  sprites,
} from "../board/paint";
import { moverOf, type Reel } from "../film/reel";
import { frameLast } from "./shared";

const COLOURS: Record<string, [string, string]> = {
  red: ["#ff8a7a", "#d43d36"],
  blue: ["#86b8ff", "#2f68cf"],
  green: ["#7fdc9c", "#1f9a55"],
  yellow: ["#ffe48a", "#dfa615"],
  purple: ["#d6a4ff", "#8b45c9"],
  unknown: ["#c9c4bb", "#8d877d"],
};

const BARS = 0.9;

export const eraser: Skin = {
  name: "eraser",
  title: { en: "Shapes", zh: "形与色" },
  pace: 1000,
  animated: true,
  margin: (_, small): Margin => ({
    left: 0.3,
    right: 0.3,
    top: small ? 0.15 : BARS + 0.25,
    bottom: 0.2,
  }),
  seatColours: (look) => look.seats,
  sourceColour: "rgba(255,233,168,0.8)",
  notable: (reel, n) => {
    const points = pointsOf(reel, n);
    return points >= 10 ? Math.min(points / 60, 1) : 0;
  },
  cellName: (reel, cell) => {
    const { columns, rows } = reel.scene;
    return `${cell % columns}${rows - 1 - Math.floor(cell / columns)}`;
  },
  draw(paint, shot) {
    board(paint);
    bars(paint, shot);
    const seat = moverOf(shot.step);
    for (const sprite of sprites(paint, shot)) piece(paint, sprite, seat);
    veil(paint);
    frameLast(paint, shot, "#fff4d6");
    award(paint, shot);
  },
};

function pointsOf(reel: Reel, n: number): number {
  return (reel.steps[n - 1]?.events ?? []).reduce((sum, event) => sum + (event.points ?? 0), 0);
}

/** Rows of the reserve that are shown above the main board. */
function previewRows(reel: Reel): number {
  const { columns, zones } = reel.scene;
  return Math.round((zones?.[0]?.cells.length ?? 0) / columns);
}

function board(paint: Paint): void {
  const { ctx, at, look, reel } = paint;
  const { rows, columns } = reel.scene;
  const preview = previewRows(reel);
  const pad = at.cell * 0.12;
  rounded(
    ctx,
    at.left - pad,
    at.top - pad,
    columns * at.cell + 2 * pad,
    rows * at.cell + 2 * pad,
    at.cell * 0.18,
  );
  ctx.fillStyle = look.dark ? "#171b24" : "#39414f";
  ctx.fill();
  for (let cell = 0; cell < rows * columns; cell++) {
    const [x, y] = [cell % columns, Math.floor(cell / columns)];
    const gap = at.cell * 0.03;
    rounded(
      ctx,
      at.left + x * at.cell + gap,
      at.top + y * at.cell + gap,
      at.cell - 2 * gap,
      at.cell - 2 * gap,
      at.cell * 0.12,
    );
    ctx.fillStyle = y < preview ? "rgba(255,255,255,0.03)" : "rgba(255,255,255,0.08)";
    ctx.fill();
  }
}

/** The preview rows are seen through a veil: nobody can swap there. */
function veil(paint: Paint): void {
  const { ctx, at, look, reel } = paint;
  const preview = previewRows(reel);
  ctx.fillStyle = look.dark ? "rgba(23,27,36,0.55)" : "rgba(57,65,79,0.58)";
  ctx.fillRect(at.left, at.top, reel.scene.columns * at.cell, preview * at.cell);
  ctx.fillStyle = "rgba(255,255,255,0.35)";
  ctx.fillRect(at.left, at.top + preview * at.cell - 1, reel.scene.columns * at.cell, 2);
}

function bars(paint: Paint, shot: Shot): void {
  const { ctx, at, look, reel } = paint;
  if (at.top < at.cell * BARS) return;
  const most = at.cell * (BARS - 0.2);
  const floor = at.top - at.cell * 0.22;
  for (const bar of reel.scene.bars ?? []) {
    const share = (shot.frame.status.bars[bar.key] ?? 0) / (bar.most || 1);
    const x = at.left + (bar.column ?? 0) * at.cell + at.cell * 0.2;
    const wide = at.cell * 0.6;
    rounded(ctx, x, floor - most, wide, most, at.cell * 0.08);
    ctx.fillStyle = look.sunken;
    ctx.fill();
    rounded(
      ctx,
      x,
      floor - most * share,
      wide,
      most * share,
      Math.min(at.cell * 0.08, most * share),
    );
    ctx.fillStyle = look.dark ? "#4f9d6c" : "#57a877";
    ctx.fill();
    ctx.fillStyle = look.ink;
    const left = String(shot.frame.status.bars[bar.key] ?? "");
    label(paint, left, x + wide / 2, floor - most / 2, Math.min(at.cell * 0.2, 13), wide, 600);
  }
}

function piece(paint: Paint, sprite: Sprite, seat: number | null): void {
  const { ctx, at, reel } = paint;
  if (sprite.y < -0.6) return;
  let [x, y] = middle(at, sprite.x, sprite.y);
  let scale = 1;
  let alpha = sprite.born;
  if (sprite.gone > 0) {
    const flash = Math.min(sprite.gone / 0.35, 1);
    const fly = Math.max((sprite.gone - 0.35) / 0.65, 0);
    const goal = at.left + (seat === 1 ? reel.scene.columns * at.cell : 0);
    x += (goal - x) * fly * fly;
    y -= at.cell * 0.6 * Math.sin(Math.PI * fly);
    scale = 1 + 0.18 * flash - 0.6 * fly;
    alpha = 1 - fly * fly;
  }
  ctx.globalAlpha = alpha;
  shape(paint, sprite.token?.role ?? "unknown", x, y, at.cell * 0.36 * scale);
  if (sprite.gone > 0 && sprite.gone < 0.35) {
    disc(ctx, x, y, at.cell * 0.42);
    ctx.fillStyle = `rgba(255,255,255,${0.5 * (1 - sprite.gone / 0.35)})`;
    ctx.fill();
  }
  ctx.globalAlpha = 1;
}

/** Each colour has a shape of its own, for eyes that do not tell colours apart. */
function shape(paint: Paint, role: string, x: number, y: number, r: number): void {
  const { ctx } = paint;
  const [light, dark] = COLOURS[role] ?? COLOURS.unknown;
  const glow = ctx.createLinearGradient(x, y - r, x, y + r);
  glow.addColorStop(0, light);
  glow.addColorStop(1, dark);
  ctx.fillStyle = glow;
  ctx.beginPath();
  if (role === "red") polygon(ctx, x, y, r * 1.16, 4, 0);
  else if (role === "blue") ctx.arc(x, y, r, 0, 2 * Math.PI);
  else if (role === "green")
    ctx.roundRect(x - r * 0.88, y - r * 0.88, r * 1.76, r * 1.76, r * 0.28);
  else if (role === "yellow") polygon(ctx, x, y + r * 0.16, r * 1.2, 3, -Math.PI / 2);
  else if (role === "purple") polygon(ctx, x, y, r * 1.05, 6, 0);
  else ctx.roundRect(x - r * 0.7, y - r * 0.7, r * 1.4, r * 1.4, r * 0.6);
  ctx.fill();
  ctx.lineWidth = r * 0.1;
  ctx.strokeStyle = "rgba(255,255,255,0.45)";
  ctx.stroke();
}

function polygon(
  ctx: CanvasRenderingContext2D,
  x: number,
  y: number,
  r: number,
  edges: number,
  turn: number,
): void {
  for (let i = 0; i < edges; i++) {
    const angle = turn + (2 * Math.PI * i) / edges;
    ctx.lineTo(x + r * Math.cos(angle), y + r * Math.sin(angle));
  }
  ctx.closePath();
}

function award(paint: Paint, shot: Shot): void {
  const won = shot.motion?.points(shot.time);
  if (!won) return;
  const { ctx, at, look, reel } = paint;
  const { columns } = reel.scene;
  const mean = (values: number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
  const x = mean(won.cells.map((cell) => cell % columns));
  const y = mean(won.cells.map((cell) => Math.floor(cell / columns)));
  const [px, py] = middle(at, x, y);
  const size = at.cell * Math.min(0.45 + won.points / 60, 0.9);
  ctx.globalAlpha = 1 - won.progress ** 3;
  ctx.font = `800 ${size}px ${look.font}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.lineWidth = size * 0.2;
  ctx.lineJoin = "round";
  ctx.strokeStyle = "rgba(0,0,0,0.65)";
  ctx.strokeText(`+${won.points}`, px, py - at.cell * 0.5 * won.progress);
  ctx.fillStyle = "#fff4d6";
  ctx.fillText(`+${won.points}`, px, py - at.cell * 0.5 * won.progress);
  ctx.globalAlpha = 1;
}
