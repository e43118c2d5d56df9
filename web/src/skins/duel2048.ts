/** Duel 2048 in two looks: numbers on tiles, and cut gems. */

import type { Sprite } from "../board/motion";
import {
  coordinates,
  corner,
  label,
  middle,
  type Paint,
  rounded,
  type Skin,
  sprites,
} from "../board/paint";
import type { Reel } from "../film/reel";
import { frameLast, presence } from "./shared";

/** Hue, saturation and lightness of a tile, from the lowest level to the highest. */
const RAMPS = [
  [
    [206, 62, 90],
    [206, 64, 83],
    [206, 66, 74],
    [207, 68, 65],
    [209, 70, 57],
    [212, 72, 50],
    [217, 70, 45],
    [223, 66, 41],
    [230, 62, 38],
    [238, 58, 36],
    [247, 56, 34],
    [256, 58, 31],
    [265, 62, 28],
  ],
  [
    [38, 78, 88],
    [36, 82, 79],
    [33, 86, 69],
    [29, 88, 61],
    [24, 86, 56],
    [18, 82, 52],
    [12, 78, 47],
    [6, 74, 43],
    [0, 70, 39],
    [352, 68, 36],
    [344, 66, 33],
    [336, 66, 30],
    [328, 68, 27],
  ],
];

type Face = (paint: Paint, sprite: Sprite, x: number, y: number, side: number) => void;

function levelOf(sprite: Sprite): { level: number; owner: number; text: string } {
  const token = (sprite.turn > 0.3 ? sprite.next : sprite.token) ?? sprite.token;
  const level = Number(token?.role?.replace("level", "")) || 1;
  return { level, owner: token?.owner ?? 0, text: token?.glyph ?? "" };
}

function tone(owner: number, level: number, lighter = 0): string {
  const ramp = RAMPS[owner % 2];
  const [hue, saturation, light] = ramp[Math.min(level, ramp.length) - 1];
  return `hsl(${hue} ${saturation}% ${Math.max(0, Math.min(light + lighter, 100))}%)`;
}

const tile: Face = (paint, sprite, x, y, side) => {
  const { ctx, look } = paint;
  const { level, owner, text } = levelOf(sprite);
  rounded(ctx, x - side / 2, y - side / 2, side, side, side * 0.12);
  ctx.fillStyle = tone(owner, level, look.dark && level < 4 ? -6 : 0);
  ctx.fill();
  if (level >= 11) {
    ctx.lineWidth = side * 0.045;
    ctx.strokeStyle = "#f3c94b";
    ctx.stroke();
  }
  ctx.fillStyle = level <= 3 ? tone(owner, 10) : "#fffdf8";
  label(paint, text, x, y, side * (text.length > 2 ? 0.36 : 0.44), side * 0.84, 700);
};

/** A gem has one more edge with each level. */
const gem: Face = (paint, sprite, x, y, side) => {
  const { ctx } = paint;
  const { level, owner, text } = levelOf(sprite);
  const edges = level + 2;
  const radius = side * 0.5;
  const point = (i: number, r: number): [number, number] => {
    const angle = (2 * Math.PI * i) / edges - Math.PI / 2;
    return [x + r * Math.cos(angle), y + r * Math.sin(angle) + (edges === 3 ? side * 0.08 : 0)];
  };
  for (let i = 0; i < edges; i++) {
    ctx.beginPath();
    ctx.moveTo(...point(i, radius));
    ctx.lineTo(...point(i + 1, radius));
    ctx.lineTo(...point(i + 1, radius * 0.62));
    ctx.lineTo(...point(i, radius * 0.62));
    ctx.closePath();
    const facing = Math.cos((2 * Math.PI * (i + 0.5)) / edges - Math.PI / 5);
    ctx.fillStyle = tone(owner, level + 2, facing * 15 + 2);
    ctx.fill();
  }
  ctx.beginPath();
  for (let i = 0; i < edges; i++) ctx.lineTo(...point(i, radius * 0.63));
  ctx.closePath();
  ctx.fillStyle = tone(owner, level + 2, 9);
  ctx.fill();
  ctx.fillStyle = level <= 2 ? "rgba(20,16,30,0.82)" : "#fffdf8";
  label(paint, text, x, y + (edges === 3 ? side * 0.1 : 0), side * 0.26, side * 0.5, 700);
};

function skin(name: string, en: string, zh: string, face: Face): Skin {
  return {
    name,
    title: { en, zh },
    pace: 300,
    arrows: true,
    animated: true,
    margin: (_, small) =>
      small
        ? { left: 0.12, right: 0.12, top: 0.12, bottom: 0.12 }
        : { left: 0.45, right: 0.12, top: 0.12, bottom: 0.45 },
    seatColours: (look) => look.seats,
    notable: newTop,
    cellName: (reel, cell) =>
      `${Math.floor(cell / reel.scene.columns)},${cell % reel.scene.columns}`,
    draw(paint, shot) {
      field(paint);
      for (const sprite of sprites(paint, shot)) {
        const [x, y] = middle(paint.at, sprite.x, sprite.y);
        const { scale, alpha } = presence(sprite);
        paint.ctx.globalAlpha = alpha;
        face(paint, sprite, x, y, paint.at.cell * 0.88 * scale);
        paint.ctx.globalAlpha = 1;
      }
      frameLast(paint, shot, paint.look.dark ? "#f6e9c8" : "#3b342a");
    },
  };
}

/** A seat's highest tile grew. */
function newTop(reel: Reel, n: number): number {
  const now = reel.counters[n]?.top;
  const before = reel.counters[n - 1]?.top;
  if (!Array.isArray(now) || !Array.isArray(before)) return 0;
  const grown = now.filter((top, seat) => top > before[seat] && top >= 16);
  return grown.length ? Math.min(Math.log2(Math.max(...grown)) / 11, 1) : 0;
}

function field(paint: Paint): void {
  const { ctx, at, look, reel } = paint;
  const { rows, columns, zones } = reel.scene;
  const pad = at.cell * 0.08;
  const wide = (columns / 2) * at.cell;
  [0, 1].forEach((half) => {
    const left = at.left + half * wide - (half ? 0 : pad);
    const corners = half
      ? [0, at.cell * 0.16, at.cell * 0.16, 0]
      : [at.cell * 0.16, 0, 0, at.cell * 0.16];
    ctx.beginPath();
    ctx.roundRect(left, at.top - pad, wide + pad, rows * at.cell + 2 * pad, corners);
    ctx.fillStyle = look.dark ? ["#22303f", "#3d2b20"][half] : ["#b9cbdc", "#e2c9ae"][half];
    ctx.fill();
  });
  ctx.fillStyle = look.dark ? "rgba(255,255,255,0.07)" : "rgba(255,255,255,0.42)";
  for (const zone of zones ?? []) {
    for (const cell of zone.cells) {
      const [x, y] = corner(paint, cell);
      const gap = at.cell * 0.06;
      rounded(ctx, x + gap, y + gap, at.cell - 2 * gap, at.cell - 2 * gap, at.cell * 0.11);
      ctx.fill();
    }
  }
  ctx.fillStyle = look.dark ? "rgba(0,0,0,0.55)" : "rgba(60,50,40,0.55)";
  ctx.fillRect(at.left + wide - 1, at.top - pad, 2, rows * at.cell + 2 * pad);
  if (at.width > columns * at.cell * 1.05) coordinates(paint, look.soft, String, String);
}

export const classic = skin("classic", "Classic", "经典", tile);
export const gems = skin("gems", "Gems", "宝石", gem);
