/** Which skins a game has; the first is worn unless the reader chose another. */

import type { Skin } from "../board/paint";
import { ataxx } from "./ataxx";
import { classic, gems } from "./duel2048";
import { eraser } from "./eraser";
import { generic } from "./generic";
import { paperio } from "./paperio";
import { reversi } from "./reversi";
import { tablut } from "./tablut";
import { uno } from "./uno";

const SKINS: Record<string, Skin[]> = {
  ataxx: [ataxx],
  duel2048: [classic, gems],
  eraser: [eraser],
  paperio: [paperio],
  reversi: [reversi],
  saiblo_reversi: [reversi],
  tablut: [tablut],
  uno: [uno],
};

export function skinsOf(game: string): Skin[] {
  if (game === "paperio") return SKINS.paperio; // ten thousand cells want a picture
  const [name] = game.split(":"); // uno:3 is uno for three
  return [...(SKINS[name] ?? []), generic];
}

export function skinOf(game: string, chosen: string | undefined): Skin {
  const skins = skinsOf(game);
  return skins.find((skin) => skin.name === chosen) ?? skins[0];
}
