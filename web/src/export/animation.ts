/** A bout as an animation (GIF) or a video (WebM). */

import { ArrayBufferTarget, Muxer } from "webm-muxer";
import type { GifRequest } from "./gif.worker";
import GifWorker from "./gif.worker?worker&inline";
import { chosenSteps, type Poster } from "./poster";

export type Progress = (share: number) => void;

const MAX_GIF_FRAMES = 400;
const MAX_VIDEO_FRAMES = 4000;
const LAST_FRAME_MS = 2000;
/** Browsers slow faster GIFs down. */
const MIN_GIF_FRAME_MS = 30;
const BITRATE = 2_500_000;
const KEY_FRAME_INTERVAL = 150;
/** Pictures that wait for the encoder, which takes memory for each. */
const MAX_QUEUED_FRAMES = 8;

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

/** Encoded as fast as the machine can; where there is no encoder, recorded while it plays. */
export async function exportVideo(
  poster: Poster,
  length: number,
  frameMs: number,
  progress: Progress,
): Promise<Blob> {
  const steps = chosenSteps(length, MAX_VIDEO_FRAMES);
  const { width, height } = poster.canvas;
  const config = { codec: "vp8", width, height, bitrate: BITRATE };
  const able =
    typeof VideoEncoder !== "undefined" && (await VideoEncoder.isConfigSupported(config)).supported;
  if (!able) return record(poster, steps, frameMs, progress);
  const target = new ArrayBufferTarget();
  const muxer = new Muxer({ target, video: { codec: "V_VP8", width, height } });
  let failure: Error | null = null;
  const encoder = new VideoEncoder({
    output: (chunk, meta) => muxer.addVideoChunk(chunk, meta),
    error: (error) => (failure = error),
  });
  encoder.configure(config);
  const encode = (timeMs: number, keyFrame: boolean): void => {
    const frame = new VideoFrame(poster.canvas, { timestamp: timeMs * 1000 });
    encoder.encode(frame, { keyFrame });
    frame.close();
  };
  for (const [i, step] of steps.entries()) {
    poster.draw(step);
    encode(i * frameMs, i % KEY_FRAME_INTERVAL === 0);
    progress((i + 1) / steps.length);
    while (encoder.encodeQueueSize > MAX_QUEUED_FRAMES) await rest(4);
    if (i % 16 === 0) await rest(0);
    if (failure) throw failure;
  }
  // A WebM ends with its last picture: shown again, the final position stays for a while.
  encode((steps.length - 1) * frameMs + LAST_FRAME_MS, false);
  await encoder.flush();
  encoder.close();
  muxer.finalize();
  return new Blob([target.buffer], { type: "video/webm" });
}

async function record(
  poster: Poster,
  steps: number[],
  frameMs: number,
  progress: Progress,
): Promise<Blob> {
  const type = ["video/webm", "video/mp4"].find((kind) => MediaRecorder.isTypeSupported(kind))!;
  poster.draw(steps[0]);
  const recorder = new MediaRecorder(poster.canvas.captureStream(30), { mimeType: type });
  const pieces: Blob[] = [];
  recorder.ondataavailable = (event) => pieces.push(event.data);
  const stopped = new Promise((resolve) => (recorder.onstop = resolve));
  recorder.start();
  for (const [i, step] of steps.entries()) {
    poster.draw(step);
    progress((i + 1) / steps.length);
    await rest(i === steps.length - 1 ? LAST_FRAME_MS : frameMs);
  }
  recorder.stop();
  await stopped;
  return new Blob(pieces, { type });
}

function rest(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
