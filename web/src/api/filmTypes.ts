/** What the server says about a bout, in the board language. */

export interface Text {
  en: string;
  zh: string;
}

export interface Token {
  owner?: number | null;
  glyph: string;
  label: Text;
  role?: string;
  /** Where a head points: 0 right, 1 down, 2 left, 3 up. */
  heading?: number;
}

export interface Zone {
  name: Text;
  owner?: number | null;
  cells: number[];
}

export interface Quantity {
  key: string;
  name: Text;
  per?: string;
  /** Of a bar: the column it belongs to, and what it holds when full. */
  column?: number;
  most?: number;
}

export interface Scene {
  rows: number;
  columns: number;
  layers: string[];
  tokens: Record<string, Record<string, Token>>;
  zones?: Zone[];
  counters?: Quantity[];
  bars?: Quantity[];
  charts?: Quantity[];
  /** There is no board: what is said is all there is. */
  words?: boolean;
}

export interface BoutEvent {
  kind: string;
  from?: number | number[];
  to?: number | number[];
  cells?: number[];
  points?: number;
  seat?: number;
}

export type Values = Record<string, number | number[]>;

/** What changes from step to step besides the cells. */
export interface FrameStatus {
  phase: Text;
  to_move: number[];
  counters: Values;
  bars: Record<string, number>;
  marks: Record<string, number[]>;
}

export interface KeyFrame extends Partial<FrameStatus> {
  layers: Record<string, string[]>;
  phase: Text;
  to_move: number[];
  events?: BoutEvent[];
}

export interface Step {
  moves: Record<string, string>;
  cpu?: Record<string, number>;
  wall?: Record<string, number>;
  left?: number[];
  cells?: Record<string, [number, string][]>;
  set?: Partial<FrameStatus>;
  events?: BoutEvent[];
  /** What was said: the seat, whether it was spoken to, the text. */
  log?: [number, boolean, string][];
}

export interface Fault {
  seat: number;
  kind: string;
  why: Text;
}

export interface End {
  scores: number[];
  winner: number | null;
  reason: string;
  why: Text;
  faults: Fault[];
}

export interface SeatPlayer {
  name: string;
  digest?: string;
  isolation?: string;
  human?: boolean;
}

export interface ClockRules {
  budget: number;
  increment: number;
  per_move: number | null;
  measure: string;
  patience: number;
}

export interface Film {
  id: string;
  kind: "record" | "live" | "room" | "file";
  game: { name: string; title: Text; seats: string[]; hidden: boolean };
  version: number;
  options: Record<string, unknown>;
  seed: number | null;
  players: SeatPlayer[];
  clock: ClockRules | null;
  began: string | null;
  scene: Scene;
  key: KeyFrame;
  steps: Step[];
  end: End | null;
  match: { id: string; number: number; of: number; previous?: string; next?: string } | null;
  /** Whose eyes it was seen with, in a game with hidden information; null for a spectator's. */
  seat?: number | null;
  /** Practise: take moves back, stop the clock. */
  can: { continue: boolean; practise?: boolean };
}

export interface Summary {
  id: string;
  kind: Film["kind"];
  game: { name: string; title: Text };
  players: SeatPlayer[];
  step: number;
  to_move: number[];
  end: End | null;
  began: string | null;
  thumb?: KeyFrame;
  scene?: Scene;
  match: { id: string; number: number; of: number } | null;
  demo?: boolean;
}

export interface GameOption {
  name: string;
  type: string;
  default: unknown;
  low: number | null;
  high: number | null;
  choices: string[] | null;
  help: Text;
}

export interface GameInfo {
  name: string;
  title: Text;
  seats: string[];
  hidden: boolean;
  options: GameOption[];
  clock: ClockRules;
  /** For each number of players what the game is called, and its seats. */
  tables: { name: string; seats: string[] }[];
  /** Whether moves can be taken back and the clock be stopped. */
  practice: boolean;
  bots: { name: string; description?: Text | null }[];
}

export type Gesture =
  | { kind: "cell"; row: number; column: number; move: string }
  | {
      kind: "drag";
      row: number;
      column: number;
      to_row: number;
      to_column: number;
      move: string;
    }
  | { kind: "key"; key: string; move: string }
  | { kind: "button"; label: Text; move: string };
