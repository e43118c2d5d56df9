/** A bout as a video: WebM, or MP4 with H.264, which phones and messengers play. */

import type { Text } from "../api/generated";
import { LAST_FRAME_MS, type Progress } from "./animation";
import { chosenSteps, type Poster } from "./poster";

export type VideoKind = "webm" | "mp4";

/** Why there is no video, in words for the person who wanted it. */
export class VideoUnavailable extends Error {
  constructor(readonly text: Text) {
    super(text.en);
  }
}

const MAX_FRAMES = 4000;
const BITRATE = 2_500_000;
const KEY_FRAME_INTERVAL = 150;
/** Pictures that wait for the encoder, which takes memory for each. */
const MAX_QUEUED_FRAMES = 8;
/** By preference. H.264 comes in profiles (high, main, baseline), and no browser has them all. */
const CODECS: Record<VideoKind, string[]> = {
  webm: ["vp8"],
  mp4: ["avc1.640028", "avc1.4d0028", "avc1.42e028", "avc1.420028"],
};
const RECORDED_TYPES: Record<VideoKind, string[]> = {
  webm: ["video/webm"],
  mp4: ["video/mp4;codecs=avc1.640028", "video/mp4;codecs=avc1.42E01E"],
};
const UNAVAILABLE: Record<VideoKind, Text> = {
  webm: {
    en: "This browser cannot write WebM videos. Save an MP4 or a GIF instead.",
    zh: "这个浏览器不能生成 WebM 视频。请改存 MP4 或 GIF。",
  },
  mp4: {
    en: "This browser cannot write MP4 videos (H.264). Save a WebM or a GIF instead, or open this page in Chrome, Edge or Safari.",
    zh: "这个浏览器不能生成 MP4 视频（H.264）。请改存 WebM 或 GIF，或者用 Chrome、Edge、Safari 打开本页。",
  },
};

/** Encoded as fast as the machine can; where there is no encoder, recorded while it plays. */
export async function exportVideo(
  kind: VideoKind,
  poster: Poster,
  length: number,
  frameMs: number,
  progress: Progress,
): Promise<Blob> {
  const steps = chosenSteps(length, MAX_FRAMES);
  const config = await encoderConfig(kind, poster.canvas);
  if (config) return encode(kind, config, poster, steps, frameMs, progress);
  const type = recordedType(kind);
  if (type) return record(type, poster, steps, frameMs, progress);
  throw new VideoUnavailable(UNAVAILABLE[kind]);
}

/** The settings of the first codec that this browser encodes; null: it has none. */
async function encoderConfig(
  kind: VideoKind,
  { width, height }: HTMLCanvasElement,
): Promise<VideoEncoderConfig | null> {
  if (typeof VideoEncoder === "undefined") return null;
  for (const codec of CODECS[kind]) {
    const config = { codec, width, height, bitrate: BITRATE };
    if ((await VideoEncoder.isConfigSupported(config)).supported) return config;
  }
  return null;
}

function recordedType(kind: VideoKind): string | undefined {
  if (typeof MediaRecorder === "undefined") return undefined;
  return RECORDED_TYPES[kind].find((type) => MediaRecorder.isTypeSupported(type));
}

/** Puts what an encoder writes into a file. */
interface VideoFile {
  add(chunk: EncodedVideoChunk, meta?: EncodedVideoChunkMetadata): void;
  finish(): Blob;
}

async function webmFile(width: number, height: number): Promise<VideoFile> {
  const { ArrayBufferTarget, Muxer } = await import("webm-muxer");
  const target = new ArrayBufferTarget();
  const muxer = new Muxer({ target, video: { codec: "V_VP8", width, height } });
  return {
    add: (chunk, meta) => muxer.addVideoChunk(chunk, meta),
    finish: () => {
      muxer.finalize();
      return new Blob([target.buffer], { type: "video/webm" });
    },
  };
}

/** Its index comes first, so that it plays while it is downloaded. */
async function mp4File(width: number, height: number): Promise<VideoFile> {
  const { ArrayBufferTarget, Muxer } = await import("mp4-muxer");
  const target = new ArrayBufferTarget();
  const muxer = new Muxer({
    target,
    video: { codec: "avc", width, height },
    fastStart: "in-memory",
  });
  return {
    add: (chunk, meta) => muxer.addVideoChunk(chunk, meta),
    finish: () => {
      muxer.finalize();
      return new Blob([target.buffer], { type: "video/mp4" });
    },
  };
}

async function encode(
  kind: VideoKind,
  config: VideoEncoderConfig,
  poster: Poster,
  steps: number[],
  frameMs: number,
  progress: Progress,
): Promise<Blob> {
  const file = await (kind === "mp4" ? mp4File : webmFile)(config.width, config.height);
  let failure: Error | null = null;
  const encoder = new VideoEncoder({
    output: (chunk, meta) => file.add(chunk, meta),
    error: (error) => (failure = error),
  });
  encoder.configure(config);
  const encodeFrame = (timeMs: number, keyFrame: boolean): void => {
    const frame = new VideoFrame(poster.canvas, { timestamp: timeMs * 1000 });
    encoder.encode(frame, { keyFrame });
    frame.close();
  };
  for (const [i, step] of steps.entries()) {
    poster.draw(step);
    encodeFrame(i * frameMs, i % KEY_FRAME_INTERVAL === 0);
    progress((i + 1) / steps.length);
    while (encoder.encodeQueueSize > MAX_QUEUED_FRAMES) await rest(4);
    if (i % 16 === 0) await rest(0);
    if (failure) throw failure;
  }
  // A video ends with its last picture: shown again, the final position stays for a while.
  encodeFrame((steps.length - 1) * frameMs + LAST_FRAME_MS, false);
  await encoder.flush();
  encoder.close();
  return file.finish();
}

async function record(
  type: string,
  poster: Poster,
  steps: number[],
  frameMs: number,
  progress: Progress,
): Promise<Blob> {
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
  return new Blob(pieces, { type: type.split(";")[0] });
}

function rest(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
