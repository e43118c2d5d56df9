/** What the arena tells of people, bots, contests and bouts. */

import type { ClockRules, Text } from "../film/types";

export type Role = "organiser" | "teacher" | "student";

export interface User {
  id: number;
  name: string;
  shown: string;
  role: Role;
  joined: string;
  active: boolean;
  email?: string | null;
}

export interface Me {
  user: User | null;
  csrf: string;
  notices: number;
  /** Nobody has an account yet: the first one is the organiser's. */
  first: boolean;
  open: { register: boolean };
}

export interface Notice {
  id: number;
  at: string;
  kind: string;
  text: Text;
  link: string | null;
  read: boolean;
}

export interface ApiToken {
  id: number;
  label: string;
  made?: string;
  at?: string;
  used?: string | null;
  /** Told once, when it is made. */
  token?: string;
}

export interface Team {
  id: number;
  name: string;
  members: { id: number; name: string; captain: boolean }[];
  code?: string;
}

export interface Group {
  id: number;
  name: string;
  code?: string;
  members: number | User[];
  mine: boolean;
}

export interface RosterAnswer {
  created: { name: string; code: string }[];
  joined: string[];
  errors: { line: number; why: Text | string }[];
}

export interface Owner {
  kind: "user" | "team";
  id: number;
  name: string;
}

export interface Bot {
  id: number;
  name: string;
  game: string;
  language: string;
  owner: Owner;
  mine: boolean;
  versions: Version[];
  current: number | null;
  about: string;
}

export interface Version {
  id: number;
  number: number;
  at: string;
  size: number;
  digest: string;
  state: "checking" | "good" | "refused";
  remark: string;
  check: Check | null;
  on_ladder: boolean;
}

export interface Finding {
  file: string;
  line: number;
  why: Text;
}

export interface Check {
  static: Finding[];
  steps: { name: Text; ok: boolean; why: Text | null; film?: string | null }[];
  stdout?: string;
  stderr?: string;
}

export interface KitLanguage {
  name: string;
  label: Text | string;
  template: Record<string, string>;
}

export interface Rated {
  place: number;
  bot: { id: number; name: string; owner: Owner; language: string };
  version: { id: number; number: number };
  elo: number;
  low: number;
  high: number;
  bouts: number;
  won: number;
  drawn: number;
  lost: number;
  faults: number;
  /** Clearly apart from the next place. */
  apart: boolean;
}

export interface Ladder {
  rows: Rated[];
  bouts: number;
  at: string;
}

export interface LadderSummary {
  game: string;
  title: Text;
  bots: number;
  bouts: number;
  leader: { id?: number; name: string } | string | null;
}

export interface RatingPoint {
  at: string;
  elo: number;
  low: number;
  high: number;
}

export interface BoutPlayer {
  name: string;
  bot?: number | null;
  version?: number | null;
  score: number | null;
  cpu: number;
  fault?: { kind: string; why: Text } | null;
}

export interface SeatOutput {
  seat: number;
  stdout: string;
  stderr: string;
  traceback?: string | null;
}

export interface BoutRow {
  id: number;
  film: string;
  game: string;
  at: string;
  contest: { id: number; kind: string; title: string } | null;
  players: BoutPlayer[];
  winner: number | null;
  reason: Text;
  plies: number;
  output?: SeatOutput[] | null;
}

export interface Trial {
  id: number;
  kind: "challenge" | "test";
  game: string;
  at: string;
  state: "waiting" | "running" | "over";
  mine: { name: string; bot?: number | null; version?: number | null };
  rows: TrialRow[];
  bouts?: BoutRow[];
}

export interface TrialRow {
  name: string;
  bot?: number | null;
  version?: number | null;
  won: number;
  drawn: number;
  lost: number;
  faults: number;
  played: number;
  of: number;
}

export interface Setting {
  name: string;
  title?: Text;
  type: "int" | "float" | "bool" | "choice" | "text" | "list";
  default: unknown;
  value?: unknown;
  low?: number | null;
  high?: number | null;
  choices?: string[] | null;
  help: Text;
}

export interface FormatInfo {
  name: string;
  title: Text;
  help: Text;
  settings: Setting[];
}

export interface Formats {
  formats: FormatInfo[];
  match: Setting[];
}

export interface Preset {
  name: string;
  game: string;
  title: Text;
  format: string;
  format_settings: Record<string, unknown>;
  match?: Record<string, unknown>;
  clock?: Partial<ClockRules> | null;
  options?: Record<string, unknown>;
}

export type ContestState = "planned" | "open" | "closed" | "running" | "over" | "published";

export interface ContestEntrant {
  id: number;
  name: string;
  bot: { id: number; name: string; language?: string } | null;
  owner: Owner | null;
  version?: { id: number; number: number } | null;
  dropped?: boolean;
  why?: Text | string | null;
}

export interface Contest {
  id: number;
  title: string;
  game: string;
  options: Record<string, unknown>;
  clock: Partial<ClockRules> | null;
  format: string;
  format_settings: Record<string, unknown>;
  match?: Record<string, unknown>;
  group?: { id: number; name: string } | null;
  state: ContestState;
  opens: string | null;
  closes: string | null;
  starts: string | null;
  publishes: string | null;
  hidden_until_published: boolean;
  imports: string[] | null;
  preset?: string | null;
  entrants?: ContestEntrant[];
  entrants_count?: number;
  entered: boolean;
  /** I may manage it. */
  mine: boolean;
  bouts_played: number;
  bouts_total: number | null;
  about: string;
}

export interface StandingRow {
  place: number;
  name: string;
  note?: "" | "through" | "champion" | "dropped";
  [key: string]: unknown;
}

export interface StandingTable {
  title: Text;
  columns: { key: string; title: Text }[];
  through?: number | null;
  rows: StandingRow[];
}

export interface BracketNode {
  key: string;
  title: Text;
  round: number;
  /** null: not known yet; empty: a bye. */
  names: (string | null)[];
  winner: string | null;
  scores: number[] | null;
  ending?: string | null;
  skipped?: boolean;
  films?: string[];
}

export interface CrossCell {
  wins: number;
  draws: number;
  losses: number;
  symbol: string;
}

export interface CrossTable {
  names: string[];
  points: Record<string, number>;
  cells: Record<string, Record<string, CrossCell>>;
}

export interface ContestTables {
  tables: StandingTable[];
  bracket: BracketNode[] | null;
  crosstable: CrossTable | null;
}

export interface RoomRow {
  id: string;
  title: string;
  game: { name: string; title: Text };
  seats: { seat: number; kind: string; name: string; free: boolean }[];
  watchers: number;
  step: number;
  over: boolean;
}

export interface Worker {
  name: string;
  busy: boolean;
  game?: string | null;
  players?: string[] | null;
  since?: string | null;
}

export interface Desk {
  queue: number;
  running: number;
  workers: Worker[];
  load: number[];
  storage: Record<string, number>;
  versions: number;
  bots: number;
  users: number;
  bouts: number;
  per_hour: number[];
  faults: BoutRow[];
  jail?: string;
  ladders?: LadderSummary[];
}

export interface Similar {
  a: { bot: string; version: number; owner: string };
  b: { bot: string; version: number; owner: string };
  share: number;
  where: { file: string; line: number; file_b: string; line_b: number; lines: number }[];
}

export interface AuditRow {
  id: number;
  at: string;
  who: string;
  what: Text | string;
  link?: string | null;
}
