/** Short sounds of a bout, made by the browser itself. Quiet, and silent before the first gesture. */

import type { BoardEvent } from "../api/generated";
import { settings } from "../settings.svelte";

const VOLUME = 0.09;
/** Milliseconds between two sounds of steps: quick games would buzz. */
const STEP_INTERVAL_MS = 90;

/** Frequency in hertz, start and length in seconds. */
type Note = [frequency: number, start: number, length: number];

const MOVE: Note[] = [[392, 0, 0.07]];
const TAKE: Note[] = [
  [294, 0, 0.08],
  [220, 0.05, 0.12],
];
const WON: Note[] = [
  [523, 0, 0.16],
  [659, 0.13, 0.16],
  [784, 0.26, 0.32],
];
const LOST: Note[] = [
  [330, 0, 0.2],
  [262, 0.18, 0.2],
  [208, 0.36, 0.36],
];
const DRAWN: Note[] = [
  [440, 0, 0.18],
  [440, 0.22, 0.26],
];

/** Events that take something from the board. */
const TAKING = new Set(["capture", "erase", "merge", "fill", "flip", "cut"]);

let audio: AudioContext | null = null;
let lastStep = 0;

/** Browsers let a page sound only after a person has touched it. */
function wake(): void {
  if (!settings.sound) return;
  audio ??= new AudioContext();
  if (audio.state === "suspended") void audio.resume();
}

if (typeof AudioContext !== "undefined") {
  addEventListener("pointerdown", wake, { capture: true });
  addEventListener("keydown", wake, { capture: true });
}

function play(notes: Note[]): void {
  if (!settings.sound || audio?.state !== "running") return;
  document.documentElement.dataset.sounds = String(
    Number(document.documentElement.dataset.sounds ?? 0) + 1,
  ); // how many were played, for programs
  for (const [frequency, start, length] of notes) {
    const from = audio.currentTime + start;
    const tone = audio.createOscillator();
    const gain = audio.createGain();
    tone.type = "triangle";
    tone.frequency.value = frequency;
    gain.gain.setValueAtTime(0, from);
    gain.gain.linearRampToValueAtTime(VOLUME, from + 0.008);
    gain.gain.exponentialRampToValueAtTime(0.0005, from + length);
    tone.connect(gain).connect(audio.destination);
    tone.start(from);
    tone.stop(from + length + 0.02);
  }
}

/** A step was shown. */
export function playStepSound(events: readonly BoardEvent[]): void {
  const now = performance.now();
  if (now - lastStep < STEP_INTERVAL_MS) return;
  lastStep = now;
  play(events.some((event) => TAKING.has(event.kind)) ? TAKE : MOVE);
}

/** A bout has ended with this score for the listener; null for spectators. */
export function playEndSound(score: number | null): void {
  if (score === null || score === 0.5) play(DRAWN);
  else play(score > 0.5 ? WON : LOST);
}
