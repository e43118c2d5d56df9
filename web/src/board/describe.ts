/** A board in words, for those who do not see it. */

import type { Frame, Reel } from "../film/reel";
import { localize } from "../settings.svelte";
import type { Skin } from "./paint";

/** Beyond this many cells only their number is told. */
const MANY = 24;

export function cellName(reel: Reel, skin: Skin, cell: number): string {
  if (skin.cellName) return skin.cellName(reel, cell);
  const { columns } = reel.scene;
  return `${Math.floor(cell / columns) + 1}-${(cell % columns) + 1}`;
}

export function describeBoard(reel: Reel, frame: Frame, skin: Skin): string {
  const parts: string[] = [];
  for (const layer of reel.scene.layers) {
    const cells = new Map<number, number[]>();
    frame.layers[layer].forEach((code, cell) => {
      if (!code) return;
      const known = cells.get(code);
      if (known) known.push(cell);
      else cells.set(code, [cell]);
    });
    for (const [code, where] of cells) {
      const name = localize(reel.token(layer, code)?.label);
      const places =
        where.length <= MANY ? where.map((c) => cellName(reel, skin, c)).join(" ") : "";
      parts.push(`${name} ×${where.length}${places ? `: ${places}` : ""}`);
    }
  }
  return parts.join("; ");
}

export function describeCell(reel: Reel, frame: Frame, skin: Skin, cell: number): string {
  const tokens = reel.scene.layers
    .map((layer) => localize(reel.token(layer, frame.layers[layer][cell])?.label))
    .filter((text) => text);
  return [cellName(reel, skin, cell), ...tokens].join(", ");
}
