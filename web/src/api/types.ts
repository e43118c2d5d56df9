/** What the arena tells of people, bots, contests and bouts. */

import type { ClockRules, Text } from "./filmTypes";

export type * from "./filmTypes";

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
  /** The first account is made with a code from the terminal. */
  needs_code?: boolean;
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

/** What a token may do. */
export type TokenScope = "read" | "upload" | "play" | "admin";

export interface ApiToken {
  id: number;
  label: string;
  made: string;
  scopes: TokenScope[];
  /** When it ends by itself. */
  until: string | null;
  /** About when it was last used. */
  used: string | null;
  /** Sent only once, when the token is created. */
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
  members: number;
  mine: boolean;
  /** Sent only to teachers. */
  people?: User[];
}

export interface RosterResult {
  created: { name: string; code: string }[];
  joined: string[];
  /** Who had an account already, and is asked whether they like to join. */
  invited: string[];
  errors: { line: number; why: Text | string }[];
}

export interface Owner {
  kind: "user" | "team" | "house";
  id: number | null;
  name: string;
  shown?: string;
}

/** Somebody at a board: a person's bot, or the house's. */
export interface Player {
  name: string;
  bot?: { id: number; name: string };
  version?: { id: number; number: number };
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

/** What a check says about a line of a bot's files. */
export interface SourceLine {
  file: string;
  line: number;
  why: Text;
}

export interface Finding {
  code: string;
  severity: "fine" | "note" | "odd" | "wrong";
  text: Text;
  evidence: { hint: Text | null; output: string; bouts: number[]; file: string; line: number };
}

export interface Check {
  findings: Finding[];
  bouts: { title: Text; film: string | null }[];
  stdout: string;
  stderr: string;
}

export interface KitLanguage {
  name: string;
  dialect: string;
  label: string;
  template: Record<string, string>;
}

export interface LadderRow {
  place: number;
  bot: { id: number | null; name: string; owner: Owner; language: string };
  version: { id: number; number: number } | null;
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
  rows: LadderRow[];
  bouts: number;
  at: string | null;
}

export interface LadderSummary {
  game: string;
  title: Text;
  bots: number;
  bouts: number;
  leader: LadderRow | null;
}

export interface RatingPoint {
  at: string;
  version?: number;
  elo: number;
  low: number;
  high: number;
}

export interface BoutPlayer extends Player {
  score: number | null;
  cpu: number;
  fault?: { kind: string; why: Text } | null;
}

export interface SeatOutput {
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
  /** What one's own bots printed, by seat. */
  output?: Record<string, SeatOutput>;
}

/** A challenge, or a batch test of one version against many. */
export interface Challenge {
  id: number;
  kind: "challenge" | "test";
  title: string;
  game: string;
  at: string;
  state: "running" | "over" | "stopped";
  why: Text | string | null;
  players: Player[];
  score: number[];
  played: number;
  total: number;
  mine: boolean;
  rows?: ChallengeRow[];
  bouts?: BoutRow[];
}

/** One opponent of a batch test, seen from the version under test. */
export interface ChallengeRow extends Player {
  won: number;
  drawn: number;
  lost: number;
  faults: number;
}

/** A setting as the server describes it. */
export interface RawSetting {
  name: string;
  type: string;
  default: unknown;
  choices: string[] | null;
  help: Text;
}

/** A setting as a field of a form. */
export interface Setting {
  name: string;
  title: Text;
  type: "int" | "float" | "bool" | "choice" | "text" | "list";
  default: unknown;
  low?: number | null;
  high?: number | null;
  choices?: string[] | null;
  /** The choices in words. */
  named?: Record<string, Text>;
  help: Text;
}

export interface Formats {
  formats: { name: string; settings: RawSetting[] }[];
  match: RawSetting[];
}

export interface Preset {
  name: string;
  game: string;
  title: Text;
  settings: {
    format?: { name: string; [key: string]: unknown };
    match?: Record<string, unknown>;
    clock?: Partial<ClockRules>;
    options?: Record<string, unknown>;
  };
}

export type ContestState =
  "planned" | "open" | "closed" | "running" | "over" | "published" | "stopped";

export interface ContestEntrant {
  id: number;
  name: string;
  bot: { id: number; name: string } | null;
  house: string;
  mine: boolean;
  owner: Owner | null;
  version: number | null;
  /** Of the version, once it is fixed. */
  number?: number | null;
  dropped: boolean;
  why: string;
}

export interface Contest {
  id: number;
  title: string;
  game: string;
  options: Record<string, unknown>;
  clock: Partial<ClockRules> | null;
  format: string;
  format_settings: Record<string, unknown>;
  match: Record<string, unknown>;
  group: number | null;
  /** Whether I run it. */
  runs: boolean;
  state: ContestState;
  why: Text | string | null;
  opens: string | null;
  closes: string | null;
  starts: string | null;
  publishes: string | null;
  hidden_until_published: boolean;
  /** Seconds by which it is shown later than it is played. */
  delay: number;
  /** Whether I may see its tables and bouts. */
  shown: boolean;
  imports: string[] | null;
  preset: string;
  author: string;
  entrants: ContestEntrant[];
  entered: boolean;
  bouts_played: number | null;
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
  /** null: not known yet; empty: a bye. */
  a: string | null;
  b: string | null;
  winner: string | null;
  score: number[] | null;
  /** How the match ended: played, lot, timeout or walkover; null: not yet. */
  ending: string | null;
  skipped: boolean;
  films: string[];
}

export interface CrossTable {
  names: string[];
  points: Record<string, number>;
  /** By `row/column`: won, drawn, lost. */
  cells: Record<string, [number, number, number]>;
}

export interface ContestTables {
  tables: StandingTable[];
  standings: StandingTable | null;
  /** Column by column. */
  bracket: BracketNode[][] | null;
  crosstable: CrossTable | null;
}

export interface RoomRow {
  id: string;
  title: string;
  game: { name: string; title: Text };
  state: "waiting" | "playing" | "over";
  seats: {
    seat: number;
    kind: "human" | "bot" | "open" | "remote";
    name: string;
    open: boolean;
    connected: boolean;
  }[];
  practice: boolean;
  watchers: number;
}

export interface AdminOverview {
  queue: { checks: number; events: number };
  workers: { places: number; busy: number; alive: boolean; trouble: Text | string };
  load: { average: number[]; cores: number };
  /** Bytes. */
  storage: { free: number; total: number; database: number };
  counts: { users: number; bots: number; versions: number; bouts: number };
  bouts_per_hour: number;
  faults: BoutRow[];
  ladders: LadderSummary[];
}

export interface Submission {
  version: { id: number; number: number };
  bot: { id: number; name: string };
  owner: Owner;
}

export interface SimilarPair {
  a: Submission;
  b: Submission;
  share: number;
  /** File and line of the one, file and line of the other. */
  where: [string, number, string, number][];
}

export interface AuditRow {
  id: number;
  at: string;
  who: string;
  what: string;
  detail: Record<string, unknown>;
}
