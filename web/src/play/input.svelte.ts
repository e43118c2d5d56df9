/** A person's hand on the board: what a press, a drag, a key or a typed word means as a move. */

import { type Frame, type Reel } from "../film/reel";
import type { Gesture, Text } from "../api/generated";
import { localize, tr } from "../settings.svelte";
import type { Overlay } from "../board/overlay";
import { headOf, isBackwards, relative, toward } from "./steer";

/** Milliseconds between two steps while a key or the button is held. */
const REPEAT_INTERVAL_MS = 100;
/** Turns that may be asked for before it is one's turn: as many as a U-turn needs. */
const MAX_EARLY_TURNS = 2;

const ARROWS: Record<string, string> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};
const LETTERS: Record<string, string> = { w: "up", s: "down", a: "left", d: "right" };
const WAYS: Record<string, [number, number]> = {
  up: [-1, 0],
  down: [1, 0],
  left: [0, -1],
  right: [0, 1],
};

/** Said of a piece in hand, which stays there. */
function cannotGo(): string {
  return tr("This piece cannot go there.", "这个棋子不能走到那里。");
}

/** Said of a direction in which tiles are stuck. */
function nothingMoves(): string {
  return tr("Nothing can move in that direction.", "这个方向没有可以移动的方块。");
}

interface EarlyTurn {
  direction: string;
  /** Keys that point backwards mean straight on; swipes and the pad, nothing. */
  byKey: boolean;
}

export class BoardInput {
  gestures = $state.raw<Gesture[]>([]);
  selected = $state<number | null>(null);
  cursor = $state<number | null>(null);
  /** Why nothing happened, for the person. */
  hint = $state("");
  /** The moves of the cell that was pressed, where it has several: one of their buttons decides. */
  choices = $state.raw<string[]>([]);
  /** What to say about a press that means nothing, in a game without a grid of cells. */
  refusal: Text | undefined;
  private reel: Reel | null = null;
  private frame = $state.raw<Frame | null>(null);
  private seat = 0;
  private heldDirection: string | number | null = null;
  /** What is held is an arrow of the pad. */
  private onPad = false;
  /** Keys and swipes that came before the turn; each is the move of one turn. */
  private early: EarlyTurn[] = [];
  private last = 0;
  private timer = 0;

  constructor(private readonly send: (move: string) => void) {}

  /** It is this person's turn; `again` if the last answer was not allowed. */
  enable(reel: Reel, seat: number, gestures: Gesture[], again = false): void {
    this.reel = reel;
    this.frame = reel.at(reel.length);
    this.seat = seat;
    this.gestures = gestures;
    this.selected = null;
    this.choices = [];
    if (!again) this.hint = "";
    const early = this.nextEarlyMove();
    if (early) this.timer = window.setTimeout(() => this.play(early));
    else this.repeatHeld();
  }

  /** It is not: nothing can be played. */
  disable(): void {
    this.gestures = [];
    this.choices = [];
    this.selected = null;
    clearTimeout(this.timer);
  }

  /** Another bout begins, or this one is over: what was pressed before means nothing any more. */
  forgetEarly(): void {
    this.early = [];
  }

  get enabled(): boolean {
    return this.gestures.length > 0;
  }

  get keys(): Extract<Gesture, { kind: "key" }>[] {
    return this.gestures.filter((gesture) => gesture.kind === "key");
  }

  /** Whether a swipe or an arrow is a move now. */
  get slides(): boolean {
    return this.keys.some(({ key }) => key in WAYS);
  }

  get buttons(): Extract<Gesture, { kind: "button" }>[] {
    return this.gestures.filter((gesture) => gesture.kind === "button");
  }

  /** What an arrow of the pad or a swipe means now, in a game that is steered: backwards, nothing. */
  moveOf(direction: string, byKey = false): string | undefined {
    if (!byKey && this.isBehind(direction)) return undefined;
    const head = this.frame && headOf(this.reel!, this.frame, this.seat);
    const key = head ? relative(head.heading, direction) : direction;
    return this.keys.find((one) => one.key === key)?.move;
  }

  /** Whether a direction lies behind one's head as it was when one was last asked. */
  isBehind(direction: string): boolean {
    const head = this.frame && headOf(this.reel!, this.frame, this.seat);
    return head !== null && isBackwards(head.heading, direction);
  }

  /** A direction is held down on the pad, or let go. */
  steer(direction: string | null): void {
    this.heldDirection = direction;
    this.onPad = true;
    const move = direction && this.moveOf(direction); // even a tap is a step
    if (move) return this.play(move);
    if (direction) this.keepForLater(direction, false);
    this.repeatHeld();
  }

  /** Legal cells to show: where moves end once a piece is chosen, else where they begin. With
   * `worth` (the points of each move) only those that score, where some do and most do not. */
  overlay(columns: number, hints: boolean, worth: Record<string, number> = {}): Overlay {
    const shown = this.selected === null ? this.worthwhile(worth) : this.gestures;
    const cells = (from: boolean): number[] => {
      const found = new Set<number>();
      for (const gesture of shown) {
        if (gesture.kind === "cell" && !from && this.selected === null)
          found.add(gesture.row * columns + gesture.column);
        if (gesture.kind === "drag") {
          const start = gesture.row * columns + gesture.column;
          if (from) found.add(start);
          else if (start === this.selected) found.add(gesture.to_row * columns + gesture.to_column);
        }
      }
      return [...found];
    };
    const few = (list: number[]): number[] => (list.length <= 160 ? list : []);
    return {
      targets: hints || this.selected !== null ? few(cells(false)) : [],
      sources: hints && this.selected === null ? few(cells(true)) : [],
      selected: this.selected,
      cursor: this.cursor,
    };
  }

  private worthwhile(worth: Record<string, number>): Gesture[] {
    const scoring = this.gestures.filter((one) => worth[one.move] > 0);
    return scoring.length && scoring.length < this.gestures.length / 2 ? scoring : this.gestures;
  }

  press(cell: number, touched = false): void {
    this.cursor = null;
    if (touched && this.steering()) this.stepToward(cell);
    else this.choose(cell);
  }

  drag(from: number, to: number): void {
    const gesture = this.between(from, to);
    if (gesture) this.play(gesture.move);
    else if (this.startsAt(from)) this.explain(cannotGo());
    else if (!this.steering()) this.choose(to);
  }

  /** An arrow or another key of the game. True if it was one. */
  key(event: KeyboardEvent): boolean {
    const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const name = ARROWS[event.key] ?? (this.keys.length ? LETTERS[letter] : undefined) ?? letter;
    if (this.steering()) return this.hold(name, event);
    if (!this.enabled) return event.key in ARROWS; // too early, but meant for the board
    const gesture = this.keys.find((one) => one.key === name);
    if (gesture) {
      if (!event.repeat) this.play(gesture.move);
      return true;
    }
    if (name in WAYS && this.keys.length) {
      this.explain(nothingMoves());
      return true;
    }
    return this.onBoard(event.key, name);
  }

  release(event: KeyboardEvent): void {
    if (typeof this.heldDirection === "string" && this.nameOf(event) === this.heldDirection)
      this.heldDirection = null;
  }

  /** True if swipes mean something now. A head is swiped by fingers only: it follows a mouse. */
  swipe(name: string, touched: boolean): boolean {
    if (this.steering()) {
      if (!touched) return false;
      const move = this.moveOf(name);
      if (move) this.play(move);
      else this.keepForLater(name, false);
      return true;
    }
    const gesture = this.keys.find((one) => one.key === name);
    if (gesture) this.play(gesture.move);
    return gesture !== undefined || (touched && this.refuseSwipe());
  }

  /** A finger that slides over the board plays no cell: it was meant for another phase. */
  private refuseSwipe(): boolean {
    const onlyCells = this.enabled && this.gestures.every((one) => one.kind === "cell");
    if (!this.slides && (!onlyCells || this.refusal)) return false;
    this.explain(
      this.slides
        ? nothingMoves()
        : tr("No swiping now: tap a cell with a dot.", "现在不能滑动：请点带圆点的格子。"),
    );
    return true;
  }

  /** The pointer is held over a cell (or let go). */
  point(cell: number | null, pressed: boolean): void {
    if (!this.steering() && typeof this.heldDirection !== "number") return;
    this.heldDirection = pressed ? cell : null;
    this.onPad = false;
    this.repeatHeld();
  }

  play(move: string): void {
    this.hint = "";
    this.last = performance.now();
    const { gestures } = this;
    this.gestures = [];
    this.choices = [];
    this.selected = null;
    if (gestures.length) this.send(move);
  }

  explain(text: string): void {
    this.choices = [];
    this.hint = text;
  }

  private nameOf(event: KeyboardEvent): string {
    return ARROWS[event.key] ?? LETTERS[event.key.toLowerCase()] ?? event.key;
  }

  private between(from: number, to: number): Gesture | undefined {
    const columns = this.reel?.scene.columns ?? 1;
    return this.gestures.find(
      (one) =>
        one.kind === "drag" &&
        one.row * columns + one.column === from &&
        one.to_row * columns + one.to_column === to,
    );
  }

  private startsAt(cell: number): boolean {
    const columns = this.reel?.scene.columns ?? 1;
    return this.gestures.some(
      (one) => one.kind === "drag" && one.row * columns + one.column === cell,
    );
  }

  private choose(cell: number): void {
    if (!this.enabled || this.steering()) return;
    const held = this.selected !== null;
    const several = held ? [] : this.movesOf(cell);
    if (several.length > 1) return this.offerChoices(several);
    if (this.selected !== null) {
      const gesture = this.between(this.selected, cell);
      if (gesture) return this.play(gesture.move);
      if (this.selected === cell) {
        this.selected = null;
        return;
      }
      if (!this.startsAt(cell)) return this.explain(cannotGo());
    }
    // With a piece in hand, a press that misses its destinations plays nothing else.
    const direct = held ? undefined : (this.cellGesture(cell) ?? this.inOwnZone(cell));
    if (direct) return this.play(direct.move);
    if (this.startsAt(cell)) {
      this.selected = cell;
      this.hint = "";
      return;
    }
    this.explain(this.whyNot());
  }

  private whyNot(): string {
    if (this.refusal) return localize(this.refusal);
    const kinds = new Set(this.gestures.map((one) => one.kind));
    if (kinds.has("cell") && kinds.has("drag")) {
      return tr(
        "No move is possible there. Press a cell with a dot, or a ringed piece and then its destination.",
        "那里不能走。请点带圆点的格子，或先选带圈的棋子，再选目的地。",
      );
    }
    if (kinds.has("drag")) {
      return tr(
        "No move starts there. Choose a ringed piece, then its destination.",
        "那里没有可走的棋子。请先选带圈的棋子，再选目的地。",
      );
    }
    if (kinds.has("cell")) {
      return tr(
        "That cell is not allowed. Allowed cells have a dot.",
        "这一格不能下。可下的格子有圆点。",
      );
    }
    if (this.slides)
      return tr("Swipe on the board, or use the arrows.", "请在棋盘上滑动，或按方向键。");
    return tr("Use the keys or buttons below.", "请使用下方的按键或按钮。");
  }

  private movesOf(cell: number): string[] {
    const columns = this.reel?.scene.columns ?? 1;
    return this.gestures
      .filter((one) => one.kind === "cell" && one.row * columns + one.column === cell)
      .map((one) => one.move);
  }

  private offerChoices(moves: string[]): void {
    this.explain(tr("Choose one of the buttons below.", "请在下方按钮中选择。"));
    this.choices = moves;
  }

  private cellGesture(cell: number): Gesture | undefined {
    const columns = this.reel?.scene.columns ?? 1;
    return this.gestures.find(
      (one) => one.kind === "cell" && one.row * columns + one.column === cell,
    );
  }

  /** A press anywhere in one's own zone means the only cell there that is allowed. */
  private inOwnZone(cell: number): Gesture | undefined {
    const zones = this.reel?.scene.zones ?? [];
    const zone = zones.find((one) => one.owner === this.seat && one.cells.includes(cell));
    if (!zone) return undefined;
    const inside = zone.cells.map((one) => this.cellGesture(one)).filter((one) => one);
    return inside.length === 1 ? inside[0] : undefined;
  }

  /** Arrow keys walk over the board, Enter and space press the cell. */
  private onBoard(key: string, name: string): boolean {
    const scene = this.reel?.scene;
    const onCells = this.gestures.some((one) => one.kind === "cell" || one.kind === "drag");
    if (!scene || !onCells) return false;
    const { rows, columns } = scene;
    if (key === "Escape") {
      this.selected = this.cursor = null;
      return true;
    }
    if ((key === "Enter" || key === " ") && this.cursor !== null) {
      this.choose(this.cursor);
      return true;
    }
    const way = ARROWS[key] ? WAYS[name] : undefined;
    if (!way) return false;
    const from = this.cursor ?? this.startOfCursor(columns);
    const row = Math.max(0, Math.min(Math.floor(from / columns) + way[0], rows - 1));
    const column = Math.max(0, Math.min((from % columns) + way[1], columns - 1));
    this.cursor = this.cursor === null ? from : row * columns + column;
    return true;
  }

  private startOfCursor(columns: number): number {
    const first = this.gestures.find((one) => one.kind === "cell" || one.kind === "drag");
    return first && "row" in first ? first.row * columns + first.column : 0;
  }

  /** Whether this game is steered: a head that points somewhere, and turns relative to it. */
  private steering(): boolean {
    return this.frame !== null && headOf(this.reel!, this.frame, this.seat) !== null;
  }

  private hold(name: string, event: KeyboardEvent): boolean {
    if (!(name in WAYS)) return false;
    if (!event.repeat) {
      this.heldDirection = name;
      this.onPad = false;
      this.keepForLater(name, true);
      this.repeatHeld();
    }
    return true;
  }

  /** A direction that comes while the rival's answer is still awaited is the next move. */
  private keepForLater(direction: string, byKey: boolean): void {
    if (!this.enabled && this.early.length < MAX_EARLY_TURNS) this.early.push({ direction, byKey });
  }

  private nextEarlyMove(): string | undefined {
    while (this.early.length) {
      const { direction, byKey } = this.early.shift()!;
      const move = this.moveOf(direction, byKey);
      if (move) return move;
    }
    return undefined;
  }

  /** While something is held and it is one's turn, the next step follows. */
  private repeatHeld(): void {
    clearTimeout(this.timer);
    if (this.heldDirection === null || !this.enabled || !this.frame) return;
    const move = this.moveToward(this.heldDirection);
    if (!move) return;
    const wait = Math.max(this.last + REPEAT_INTERVAL_MS - performance.now(), 0);
    this.timer = window.setTimeout(() => this.play(move), wait);
  }

  /** A tapped cell: one step. */
  private stepToward(cell: number): void {
    const move = this.moveToward(cell);
    if (move) this.play(move);
  }

  /** The turn of the head toward a direction or a cell. */
  private moveToward(aim: string | number): string | undefined {
    const head = this.frame && headOf(this.reel!, this.frame, this.seat);
    if (!head) return undefined;
    const way = typeof aim === "string" ? aim : toward(head, aim, this.reel!.scene.columns);
    if (!way || (this.onPad && isBackwards(head.heading, way))) return undefined;
    return this.keys.find((one) => one.key === relative(head.heading, way))?.move;
  }
}
