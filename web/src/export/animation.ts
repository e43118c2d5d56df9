/** A bout as an animation (GIF). */

import type { GifRequest } from "./gif.worker";
import GifWorker from "./gif.worker?worker&inline";
import { chosenSteps, type Poster } from "./poster";

export type Progress = (share: number) => void;

const MAX_GIF_FRAMES = 400;
export const LAST_FRAME_MS = 2000;
/** Browsers slow faster GIFs down. */
const MIN_GIF_FRAME_MS = 30;

export async function exportGif(
  poster: Poster,
  length: number,
  frameMs: number,
  progress: Progress,
): Promise<Blob> {
  const steps = chosenSteps(length, MAX_GIF_FRAMES);
  const { width, height } = poster.canvas;
  const worker = new GifWorker();
  try {
    const capture = (step: number): Uint8ClampedArray => {
      poster.draw(step);
      return poster.canvas.getContext("2d")!.getImageData(0, 0, width, height).data;
    };
    const samples = [0, 0.25, 0.5, 0.75, 1].map((share) => capture(Math.round(share * length)));
    await ask(worker, { kind: "start", width, height, samples });
    for (const [i, step] of steps.entries()) {
      const last = i === steps.length - 1;
      const delayMs = Math.max(last ? LAST_FRAME_MS : frameMs, MIN_GIF_FRAME_MS);
      await ask(worker, { kind: "add", pixels: capture(step), delayMs });
      progress((i + 1) / steps.length);
    }
    const { bytes } = await ask(worker, { kind: "finish" });
    return new Blob([bytes!], { type: "image/gif" });
  } finally {
    worker.terminate();
  }
}

interface GifAnswer {
  kind: string;
  bytes?: Uint8Array<ArrayBuffer>;
}

function ask(worker: Worker, request: GifRequest): Promise<GifAnswer> {
  return new Promise((resolve, reject) => {
    worker.onmessage = (event: MessageEvent<GifAnswer>) => resolve(event.data);
    worker.onerror = (event) => reject(new Error(event.message));
    const transfer = request.kind === "add" ? [request.pixels.buffer] : [];
    worker.postMessage(request, transfer);
  });
}
