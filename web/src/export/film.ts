/** A bout as a moving picture: GIF by our own writer, WebM by the browser's encoder. */

import type { GifOrder } from "./gif.worker";
import GifWorker from "./gif.worker?worker&inline";
import { chosenSteps, type Poster } from "./poster";
import { type Packet, webm } from "./webm";

export type Progress = (share: number) => void;

/** A GIF has at most so many pictures, a video so many. */
const MAX_GIF_FRAMES = 400;
const MAX_VIDEO_FRAMES = 4000;
/** The last picture stays for a while. */
const LAST_FRAME_MS = 2000;

export async function gif(
  poster: Poster,
  length: number,
  pace: number,
  progress: Progress,
): Promise<Blob> {
  const steps = chosenSteps(length, MAX_GIF_FRAMES);
  const { width, height } = poster.canvas;
  const worker = new GifWorker();
  try {
    const shot = (step: number): Uint8ClampedArray => {
      poster.draw(step);
      return poster.canvas.getContext("2d")!.getImageData(0, 0, width, height).data;
    };
    const spread = [0, 0.25, 0.5, 0.75, 1].map((share) => shot(Math.round(share * length)));
    await order(worker, { kind: "start", width, height, samples: spread });
    for (const [i, step] of steps.entries()) {
      const last = i === steps.length - 1;
      const delay = Math.max(Math.round((last ? LAST_FRAME_MS : pace) / 10), 3);
      await order(worker, { kind: "add", pixels: shot(step), delay });
      progress((i + 1) / steps.length);
    }
    const done = await order(worker, { kind: "finish" });
    return new Blob([done.bytes!], { type: "image/gif" });
  } finally {
    worker.terminate();
  }
}

interface Answer {
  kind: string;
  bytes?: Uint8Array<ArrayBuffer>;
}

function order(worker: Worker, message: GifOrder): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.onmessage = (event: MessageEvent<Answer>) => resolve(event.data);
    worker.onerror = (event) => reject(new Error(event.message));
    const transfer = message.kind === "add" ? [message.pixels.buffer] : [];
    worker.postMessage(message, transfer);
  });
}

/** Encoded as fast as the machine can; where there is no encoder, recorded as it plays. */
export async function video(
  poster: Poster,
  length: number,
  pace: number,
  progress: Progress,
): Promise<Blob> {
  const steps = chosenSteps(length, MAX_VIDEO_FRAMES);
  const { width, height } = poster.canvas;
  const config = { codec: "vp8", width, height, bitrate: 2_500_000, framerate: 30 };
  const able =
    typeof VideoEncoder !== "undefined" && (await VideoEncoder.isConfigSupported(config)).supported;
  if (!able) return record(poster, steps, pace, progress);
  const packets: Packet[] = [];
  let failure: Error | null = null;
  const encoder = new VideoEncoder({
    output(chunk) {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      packets.push({ data, time: chunk.timestamp / 1000, key: chunk.type === "key" });
    },
    error: (error) => (failure = error),
  });
  encoder.configure(config);
  let time = 0;
  for (const [i, step] of steps.entries()) {
    poster.draw(step);
    const picture = new VideoFrame(poster.canvas, { timestamp: time * 1000 });
    encoder.encode(picture, { keyFrame: i % 150 === 0 });
    picture.close();
    time += i === steps.length - 1 ? LAST_FRAME_MS : pace;
    progress((i + 1) / steps.length);
    while (encoder.encodeQueueSize > 8) await rest(4);
    if (i % 16 === 0) await rest(0);
    if (failure) throw failure;
  }
  poster.draw(length);
  const still = new VideoFrame(poster.canvas, { timestamp: time * 1000 });
  encoder.encode(still);
  still.close();
  await encoder.flush();
  encoder.close();
  return webm(packets, width, height, "V_VP8", time);
}

async function record(
  poster: Poster,
  steps: number[],
  pace: number,
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
    await rest(i === steps.length - 1 ? LAST_FRAME_MS : pace);
  }
  recorder.stop();
  await stopped;
  return new Blob(pieces, { type });
}

function rest(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
