/** Encodes a GIF in a worker, so that the page stays responsive. */

import { applyPalette, GIFEncoder, quantize } from "gifenc";

export type GifRequest =
  | { kind: "start"; width: number; height: number; samples: Uint8ClampedArray[] }
  | { kind: "add"; pixels: Uint8ClampedArray; delayMs: number }
  | { kind: "finish" };

/** One colour table for all pictures, and one index in it for pixels that have not changed. */
const MAX_COLOURS = 255;

class Animation {
  private readonly gif = GIFEncoder();
  private readonly palette: [number, number, number][];
  private previous: Uint8Array | null = null;

  /** `samples` are pictures (RGBA) that together show the colours of the animation. */
  constructor(
    private readonly width: number,
    private readonly height: number,
    samples: Uint8ClampedArray[],
  ) {
    const pixels = new Uint8ClampedArray(samples.length * width * height * 4);
    samples.forEach((sample, n) => pixels.set(sample, n * sample.length));
    this.palette = quantize(pixels, MAX_COLOURS);
  }

  add(pixels: Uint8ClampedArray, delayMs: number): void {
    const unchanged = this.palette.length;
    const index = applyPalette(pixels, this.palette);
    const previous = this.previous;
    this.gif.writeFrame(
      previous ? index.map((colour, n) => (colour === previous[n] ? unchanged : colour)) : index,
      this.width,
      this.height,
      {
        palette: previous ? undefined : [...this.palette, [0, 0, 0]],
        transparent: previous !== null,
        transparentIndex: unchanged,
        delay: delayMs,
        dispose: 1,
      },
    );
    this.previous = index;
  }

  finish(): Uint8Array<ArrayBuffer> {
    this.gif.finish();
    return this.gif.bytes();
  }
}

let animation: Animation | null = null;

addEventListener("message", ({ data }: MessageEvent<GifRequest>) => {
  if (data.kind === "start") animation = new Animation(data.width, data.height, data.samples);
  else if (data.kind === "add") animation!.add(data.pixels, data.delayMs);
  else {
    const bytes = animation!.finish();
    postMessage({ kind: "done", bytes }, { transfer: [bytes.buffer] });
    return;
  }
  postMessage({ kind: "ready" });
});
