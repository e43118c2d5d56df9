/** A film that can be stopped at any step, quickly in both directions. */

import { localize } from "../settings.svelte";
import type {
  BoardEvent,
  BoardQuantity,
  BoardScene,
  BoardToken,
  FilmInfo,
  FilmStep,
  FrameChanges,
  Text,
} from "../api/generated";

type FrameStatus = Required<FrameChanges>;

/** A moment of a bout. Layers hold codes: `reel.tokens[layer][code]`, 0 for nothing. */
export interface Frame {
  n: number;
  layers: Record<string, Uint16Array>;
  status: FrameStatus;
  events: BoardEvent[];
}

/** A whole frame is kept every so many steps, so that seeking applies few changes. */
const KEY_FRAME_INTERVAL = 64;

const NOTHING: FrameStatus = {
  phase: { en: "", zh: "" },
  to_move: [],
  counters: {},
  bars: {},
  marks: {},
};

export class Reel {
  readonly scene: BoardScene;
  readonly tokens: Record<string, (BoardToken | null)[]> = {};
  readonly steps: FilmStep[] = [];
  /** The counters after each step. */
  readonly counters: FrameStatus["counters"][] = [];
  private readonly codes: Record<string, Map<string, number>> = {};
  private readonly keyFrames: Frame[] = [];
  private recent: Frame;

  constructor(film: Pick<FilmInfo, "scene" | "key" | "steps">) {
    this.scene = film.scene;
    for (const layer of film.scene.layers) this.learnTokens(layer);
    this.recent = this.firstFrame(film);
    this.keyFrames.push(this.recent);
    this.counters.push(this.recent.status.counters);
    for (const step of film.steps) this.append(step);
  }

  get length(): number {
    return this.steps.length;
  }

  append(step: FilmStep): void {
    this.steps.push(step);
    this.counters.push(step.set?.counters ?? this.counters[this.counters.length - 1]);
    if (this.steps.length % KEY_FRAME_INTERVAL === 0)
      this.keyFrames.push(this.build(this.steps.length));
  }

  /** Takes the last step away. */
  removeLast(): void {
    if (this.steps.length % KEY_FRAME_INTERVAL === 0) this.keyFrames.pop();
    this.steps.pop();
    this.counters.pop();
    if (this.recent.n > this.length) this.recent = this.keyFrames[this.keyFrames.length - 1];
  }

  /** The last step as the server has it now, with its times; false if it shows something else. */
  replaceLast(step: FilmStep): boolean {
    const known = this.steps[this.length - 1];
    if (!showsTheSame(known, step)) return false;
    this.steps[this.length - 1] = step;
    return true;
  }

  /** The frame after `n` steps. Nobody may change it. */
  at(n: number): Frame {
    const wanted = Math.max(0, Math.min(n, this.length));
    if (this.recent.n !== wanted) this.recent = this.build(wanted);
    return this.recent;
  }

  token(layer: string, code: number): BoardToken | null {
    return this.tokens[layer][code] ?? null;
  }

  /** The values of a counter over the bout, one line per seat (or a single one). */
  series(chart: BoardQuantity): number[][] {
    const first = this.counters[0][chart.key];
    const lines = Array.isArray(first) ? first.length : 1;
    return Array.from({ length: lines }, (_, line) =>
      this.counters.map((values) => {
        const value = values[chart.key];
        return (Array.isArray(value) ? value[line] : value) ?? 0;
      }),
    );
  }

  private learnTokens(layer: string): void {
    const known = Object.entries(this.scene.tokens[layer] ?? {});
    this.tokens[layer] = [null, ...known.map(([, token]) => token)];
    this.codes[layer] = new Map([["", 0]]);
    known.forEach(([name], index) => this.codes[layer].set(name, index + 1));
  }

  private code(layer: string, name: string): number {
    const codes = this.codes[layer];
    const known = codes.get(name);
    if (known !== undefined) return known;
    this.tokens[layer].push({ glyph: name, label: { en: name, zh: name } });
    codes.set(name, this.tokens[layer].length - 1);
    return this.tokens[layer].length - 1;
  }

  private firstFrame(film: Pick<FilmInfo, "key">): Frame {
    const layers: Frame["layers"] = {};
    for (const layer of this.scene.layers) {
      layers[layer] = Uint16Array.from(film.key.layers[layer], (name) => this.code(layer, name));
    }
    const { phase, to_move, counters, bars, marks } = film.key;
    const status = { ...NOTHING, phase, to_move };
    if (counters) status.counters = counters;
    if (bars) status.bars = bars;
    if (marks) status.marks = marks;
    return { n: 0, layers, status, events: film.key.events ?? [] };
  }

  private build(n: number): Frame {
    const base = this.nearest(n);
    const frame: Frame = { n, layers: {}, status: { ...base.status }, events: base.events };
    for (const layer of this.scene.layers) frame.layers[layer] = base.layers[layer].slice();
    for (let i = base.n; i < n; i++) this.apply(frame, this.steps[i]);
    return frame;
  }

  private nearest(n: number): Frame {
    const keyFrame =
      this.keyFrames[Math.min(Math.floor(n / KEY_FRAME_INTERVAL), this.keyFrames.length - 1)];
    return this.recent.n <= n && this.recent.n > keyFrame.n ? this.recent : keyFrame;
  }

  private apply(frame: Frame, step: FilmStep): void {
    for (const [layer, changes] of Object.entries(step.cells ?? {})) {
      const cells = frame.layers[layer];
      for (const [cell, name] of changes) cells[cell] = this.code(layer, name);
    }
    Object.assign(frame.status, step.set);
    frame.events = step.events ?? [];
  }
}

function showsTheSame(one: FilmStep, other: FilmStep): boolean {
  const shown = ({ cells, set, events }: FilmStep): string => JSON.stringify([cells, set, events]);
  return shown(one) === shown(other);
}

/** The seat that made a step, where one alone did. */
export function moverOf(step: FilmStep | undefined): number | null {
  if (step?.told) return step.told.seat;
  const seats = Object.keys(step?.moves ?? {});
  return seats.length === 1 ? Number(seats[0]) : null;
}

/** The place of the last step in which a seat moved by itself; -1 if there is none. */
export function lastStepOf(reel: Reel, seat: number): number {
  return reel.steps.findLastIndex((step) => !step.opening && String(seat) in step.moves);
}

/** What was done in a step: in the game's words, or else the moves in its notation. */
export function stepText(step: FilmStep): string {
  return step.told ? localize(step.told.text) : Object.values(step.moves).map(moveText).join(" · ");
}

/** A move as its reader calls it: directions are words, everything else is the game's notation. */
export function moveText(move: string): string {
  return Object.hasOwn(DIRECTIONS, move) ? localize(DIRECTIONS[move]) : move;
}

const DIRECTIONS: Record<string, Text> = {
  up: { en: "up", zh: "向上滑" },
  down: { en: "down", zh: "向下滑" },
  left: { en: "left", zh: "向左滑" },
  right: { en: "right", zh: "向右滑" },
};
