/** Pictures of a bout for files: the board with names, result and step beneath it. */

import { lookOf } from "../board/colours";
import { layout, type Paint, type Skin } from "../board/paint";
import type { Reel } from "../film/reel";
import type { FilmInfo } from "../api/generated";
import { playerName, resultText, seatLabel } from "../labels";

export class Poster {
  readonly canvas = document.createElement("canvas");
  private readonly board: { width: number; height: number };
  private readonly caption: number;

  constructor(
    private readonly film: FilmInfo,
    private readonly reel: Reel,
    private readonly skin: Skin,
    private readonly dark: boolean,
    longest: number,
  ) {
    const margin = skin.margin(reel, false);
    const columns = reel.scene.columns + margin.left + margin.right;
    const rows = reel.scene.rows + margin.top + margin.bottom;
    const cell = longest / Math.max(columns, rows);
    this.board = { width: even(columns * cell), height: even(rows * cell) };
    this.caption = even(Math.max(longest * 0.085, 30));
    this.canvas.width = Math.max(this.board.width, even(longest * 0.6));
    this.canvas.height = this.board.height + this.caption;
  }

  draw(step: number): void {
    const { canvas, film, reel, skin } = this;
    const ctx = canvas.getContext("2d", { willReadFrequently: true })!;
    const look = lookOf(this.dark);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = look.ground;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    const at = layout(reel, skin.margin(reel, false), canvas.width, this.board.height);
    const names = this.film.players.map(playerName);
    const paint: Paint = { ctx, look, at, reel, names };
    const frame = reel.at(step);
    skin.draw(paint, { frame, step: reel.steps[step - 1], motion: null, time: 0 });
    this.write(ctx, step, look.ink, look.soft);
    void film;
  }

  private write(ctx: CanvasRenderingContext2D, step: number, ink: string, soft: string): void {
    const { film, canvas, caption, reel } = this;
    const size = caption * 0.36;
    const y = this.board.height + caption / 2;
    const over = film.end && step >= reel.length;
    const names = film.players.map(
      (player, seat) => `${playerName(player)} (${seatLabel(film, seat)})`,
    );
    const text = over
      ? `${resultText(film.end!, film.players)} · ${names.join(" – ")}`
      : names.join(" – ");
    ctx.textBaseline = "middle";
    ctx.font = `600 ${size}px ${lookOf(this.dark).font}`;
    ctx.textAlign = "right";
    ctx.fillStyle = soft;
    const count = `${step} / ${reel.length}`;
    ctx.fillText(count, canvas.width - size, y);
    const room = canvas.width - 3 * size - ctx.measureText(count).width;
    ctx.textAlign = "left";
    ctx.fillStyle = ink;
    ctx.fillText(text, size, y, room);
  }
}

/** Video encoders want even sides. */
function even(value: number): number {
  return Math.max(2 * Math.round(value / 2), 2);
}

/** Which steps a file shows, so that it has at most `maxFrames` pictures; the last is always there. */
export function chosenSteps(length: number, maxFrames: number): number[] {
  const stride = Math.max(1, Math.ceil(length / maxFrames));
  const steps: number[] = [];
  for (let n = 0; n < length; n += stride) steps.push(n);
  steps.push(length);
  return steps;
}

export function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export function png(poster: Poster): Promise<Blob> {
  return new Promise((resolve, reject) => {
    poster.canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("no picture"))),
      "image/png",
    );
  });
}
