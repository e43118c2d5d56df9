/** Any grid game: what the board language says, and nothing else. */

import type { Sprite } from "../board/motion";
import {
  corner,
  disc,
  label,
  type Look,
  middle,
  type Paint,
  rounded,
  shade,
  type Skin,
  sprites,
} from "../board/paint";
import type { Reel } from "../film/reel";
import type { BoardToken } from "../api/generated";
import { frameLast, presence, rareEvents, stone } from "./shared";

/** The colours of tokens whose role says it, as in notebooks. */
const ROLES: Record<string, string> = {
  black: "#222428",
  white: "#fafaf6",
  red: "#d0423e",
  blue: "#4276d0",
  green: "#3e945c",
  yellow: "#e2b83a",
  purple: "#8e58b0",
  unknown: "#969696",
  attacker: "#34363c",
  defender: "#ece0c4",
  king: "#f6ca54",
};
const PALE = /white|yellow|defender|king/;
const ROUND = new Set(["●", "○", "⚫", "⚪", "◉"]);

export const generic: Skin = {
  name: "plain",
  title: { en: "Plain", zh: "简洁" },
  pace: 700,
  animated: true,
  margin: () => ({ left: 0.08, right: 0.08, top: 0.08, bottom: 0.08 }),
  seatColours: (look, scene) => {
    const colours = [...look.seats];
    for (const tokens of Object.values(scene?.tokens ?? {}))
      for (const { owner, role } of Object.values(tokens).reverse())
        if (role && owner != null && ROLES[role]) colours[owner] = ROLES[role];
    return colours;
  },
  lineColours: (look) => look.seats,
  notable: rareEvents,
  draw(paint, shot) {
    ground(paint);
    for (const sprite of sprites(paint, shot)) piece(paint, sprite);
    for (const mark of Object.keys(shot.frame.status.marks)) {
      frameLast(paint, shot, mark === "last" ? paint.look.accent : paint.look.soft, mark);
    }
  },
};

function ground(paint: Paint): void {
  const { ctx, at, look, reel } = paint;
  const gap = at.cell > 14 ? at.cell * 0.03 : 0;
  const tints = zoneTints(reel, look);
  for (let cell = 0; cell < reel.scene.rows * reel.scene.columns; cell++) {
    const [x, y] = corner(paint, cell);
    rounded(ctx, x + gap, y + gap, at.cell - 2 * gap, at.cell - 2 * gap, gap ? at.cell * 0.1 : 0);
    ctx.fillStyle = look.sunken;
    ctx.fill();
    const tint = tints.get(cell);
    if (tint) {
      ctx.globalAlpha = 0.14;
      ctx.fillStyle = tint;
      ctx.fill();
      ctx.globalAlpha = 1;
    }
  }
}

function zoneTints(reel: Reel, look: Look): Map<number, string> {
  const tints = new Map<number, string>();
  for (const zone of reel.scene.zones ?? []) {
    const tint =
      zone.owner === null || zone.owner === undefined ? look.soft : look.seats[zone.owner];
    for (const cell of zone.cells) tints.set(cell, tint);
  }
  return tints;
}

function piece(paint: Paint, sprite: Sprite): void {
  const token = sprite.turn > 0.5 ? sprite.next : sprite.token;
  if (!token) return;
  const { ctx, at } = paint;
  const [x, y] = middle(at, sprite.x, sprite.y);
  const { scale, alpha } = presence(sprite);
  ctx.globalAlpha = alpha;
  face(paint, token, x, y, at.cell * 0.4 * scale);
  ctx.globalAlpha = 1;
}

function face(paint: Paint, token: BoardToken, x: number, y: number, radius: number): void {
  const { ctx, look } = paint;
  const owned = token.owner !== null && token.owner !== undefined;
  const role = ROLES[token.role ?? ""];
  const colour = role ?? (owned ? look.seats[token.owner!] : look.soft);
  if (ROUND.has(token.glyph)) {
    stone(paint, x, y, radius * 0.95, shade(colour, 0.25), shade(colour, -0.12));
    return;
  }
  if (radius < 4) {
    ctx.fillStyle = colour;
    ctx.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
    return;
  }
  if (owned || role) {
    disc(ctx, x, y, radius);
    ctx.fillStyle = colour;
    ctx.fill();
  }
  ctx.fillStyle = role
    ? PALE.test(token.role!)
      ? "#222428"
      : "#fff"
    : owned
      ? look.surface
      : look.ink;
  label(paint, token.glyph, x, y, radius * 1.15, radius * 1.7);
}
