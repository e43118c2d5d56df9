/** Every answer, request and socket message of the server.
 *
 * Written by tools/page_types.py from the server's own types: change those, then run it. */

export interface Text {
  en: string;
  zh: string;
}

/** The account of the request, and the token that the page must send with every change. */
export interface AccountInfo {
  user: UserInfo | null;
  csrf: string;
  notices: number;
  first: boolean;
  needs_code: boolean;
  open: OpenDoors;
  sends_mail: boolean;
  public_url: string;
  teaches: boolean;
  studies: boolean;
}

/** The code of an activation link, with the name and password that its holder chose. */
export interface Activation {
  code: string;
  name: string;
  password: string;
}

/** The code of an activation link. */
export interface ActivationCode {
  code: string;
}

/** Whom an activation code is for. */
export interface ActivationInfo {
  name: string;
  real_name: string;
  number: string;
  groups: string[];
}

/** The address at which a person wants their notices, and the language of mails. */
export interface AddressRequest {
  email: string;
  language: "en" | "zh";
}

/** What a judge found in the record of one bout. */
export interface Analysis {
  format: string;
  game: string;
  record: string;
  judge: JudgeFacts;
  steps: number;
  sampled: boolean;
  judged_steps: number[];
  complete: boolean;
  moves: MoveAnalysis[];
  curve: CurvePoint[];
  seats: SeatAnalysis[];
  turning_point: TurningPoint | null;
  budget: BudgetUse;
}

/** How far the analysis of a bout is, and what it has found so far. */
export interface AnalysisInfo {
  state: "complete" | "failed" | "none" | "running" | "waiting";
  number: number;
  analysis: Analysis | null;
  error: ErrorDetail | null;
}

/** How many people were notified. */
export interface AnnouncedTo {
  people: number;
}

/** A message to everybody or to a class. */
export interface Announcement {
  text: string;
  to?: "all" | number;
}

/** A person is asked for a move. */
export interface AskMessage {
  type: "ask";
  n: number;
  seat: number;
  gestures: (CellGesture | DragGesture | KeyGesture | ButtonGesture)[];
  legal: string[] | null;
  left: number[];
  limit: number | null;
}

/** An assignment with its rule and one's own work. */
export interface AssignmentDetail {
  id: number;
  group: ClassLink;
  title: string;
  about: string;
  game: string;
  state: "archived" | "closed" | "draft" | "late" | "open" | "planned";
  opens: string | null;
  deadline: string;
  closes: string;
  reveals: string;
  revealed: boolean;
  most: number;
  mine: boolean;
  submitted: boolean;
  points: number | null;
  bouts: number;
  rivals: RivalInfo[];
  rule: Text[];
  options: Record<string, unknown>;
  openings: string;
  settings?: AssignmentSettings;
  handed_in?: number;
  published: boolean;
  late: Text | null;
  work?: OwnWork;
}

/** An assignment. */
export interface AssignmentInfo {
  id: number;
  group: ClassLink;
  title: string;
  about: string;
  game: string;
  state: "archived" | "closed" | "draft" | "late" | "open" | "planned";
  opens: string | null;
  deadline: string;
  closes: string;
  reveals: string;
  revealed: boolean;
  most: number;
  mine: boolean;
  submitted: boolean;
  points: number | null;
}

/** An assignment as a teacher writes it. */
export interface AssignmentRequest {
  title: string;
  about?: string;
  settings: AssignmentSettings;
  opens?: string | null;
  deadline: string;
  reveals?: string | null;
  published?: boolean;
}

/** Everything about an assignment but its name and its times. */
export interface AssignmentSettings {
  game: string;
  options: Record<string, unknown>;
  clock: ClockSettings;
  openings: string;
  seed: number;
  bouts: number;
  rivals: Rival[];
  rule: GradingRule;
  late: LateRule;
  attempts_a_day: number;
  counted: number;
}

/** An action of the staff. */
export interface AuditLine {
  id: number;
  at: string;
  who: string;
  what: string;
  detail: Record<string, unknown>;
}

/** A page of the audit log. */
export interface AuditPage {
  items: AuditLine[];
  next: number | null;
}

/** Code that people were given, which does not count as similar. */
export interface BaseCodeInfo {
  id: number;
  game: string;
  title: string;
  class_id: number | null;
  class_name: string;
  at: string;
  files: number;
}

/** How far the analysis of many bouts is. */
export interface BatchProgress {
  state: "complete" | "failed" | "none" | "running" | "waiting";
  done: number;
  total: number;
  error: ErrorDetail | null;
}

/** A version against many opponents. */
export interface BatchTestRequest {
  version: number;
  against: (number | string)[];
  bouts?: number;
}

/** A bout in which a bot of the person beat a highly rated one. */
export interface BestWin {
  rival: string;
  elo: number;
  bout: BoutInfo;
}

export interface BoardEvent {
  cells?: number[];
  from?: number | number[];
  kind: string;
  points?: number;
  seat?: number;
  to?: number | number[];
}

/** A position as it is shown, whole. */
export interface BoardFrame {
  bars: Record<string, number>;
  counters: Record<string, number | number[]>;
  events: BoardEvent[];
  layers: Record<string, string[]>;
  marks: Record<string, number[]>;
  phase: Text;
  to_move: number[];
}

/** A number beside the board: a counter, a bar or a chart. */
export interface BoardQuantity {
  column?: number;
  key: string;
  most?: number;
  name: Text;
  per?: string;
}

/** What stays the same on the board through a bout. */
export interface BoardScene {
  bars?: BoardQuantity[];
  charts?: BoardQuantity[];
  columns: number;
  counters?: BoardQuantity[];
  display?: boolean;
  help?: Text;
  layers: string[];
  rows: number;
  tokens: Record<string, Record<string, BoardToken>>;
  words?: boolean;
  zones?: BoardZone[];
}

/** An arrow, a ring or a mark over a board. */
export interface BoardShape {
  cell: number;
  kind: "arrow" | "mark" | "ring";
  text?: string;
  to?: number;
  tone?: "bad" | "doubtful" | "good" | "plain";
}

/** What may lie on a cell. */
export interface BoardToken {
  glyph: string;
  heading?: number;
  label: Text;
  owner?: number | null;
  role?: string;
}

/** Cells with a name. */
export interface BoardZone {
  cells: number[];
  name: Text;
  owner?: number | null;
}

/** Changes of a bot by its owner. */
export interface BotChange {
  name?: string | null;
  about?: string | null;
  current?: number | null;
  public_notes?: boolean | null;
  private?: boolean | null;
}

/** A bot; its owner gets all its versions, others that of the ladder. */
export interface BotInfo {
  id: number;
  name: string;
  game: string;
  language: string;
  owner: OwnerInfo;
  mine: boolean;
  versions: VersionInfo[];
  current: number | null;
  about: string;
  retired: boolean;
  made: string;
  public_notes: boolean;
  private: boolean;
}

/** Identifies a bot. */
export interface BotLink {
  id: number;
  name: string;
}

/** A serious mistake of the bot in one bout. */
export interface BotMistake {
  record: string;
  rivals: string[];
  found: MoveAnalysis;
}

/** What a bot does wrong, over many bouts. */
export interface BotMistakes {
  bot: string;
  bouts: number;
  moves: number;
  accuracy: number | null;
  mistakes: BotMistake[];
  groups: MistakeGroup[];
}

/** How far the search for a bot's mistakes is, and what it has found so far. */
export interface BotMistakesInfo {
  progress: BatchProgress;
  found: BotMistakes | null;
  mistakes: number;
  versions: number[];
  newer_bouts: number;
}

/** A page of bots. */
export interface BotPage {
  items: BotInfo[];
  next: number | null;
}

/** How a bout ended. */
export interface BoutEnd {
  scores: number[];
  winner: number | null;
  reason: string;
  why: Text;
  faults: SeatFaultInfo[];
  usage?: (PlayerUsage | null)[];
}

/** A bout that was played. */
export interface BoutInfo {
  id: number;
  film: string;
  game: string;
  at: string;
  contest: ContestLink;
  match: string;
  number: number;
  players: BoutPlayer[];
  winner: number | null;
  verdict: string;
  reason: Text;
  plies: number;
  void: boolean;
  output?: Record<string, SeatOutput>;
}

/** An entrant on a seat of a bout. */
export interface BoutPlayer {
  name: string;
  bot?: BotLink;
  version?: VersionLink;
  owner?: OwnerInfo;
  score: number | null;
  cpu: number;
  figure: number;
  fault?: FaultInfo;
}

/** A short description of a bout, for lists. */
export interface BoutSummary {
  id: string;
  kind: "file" | "live" | "record" | "room";
  game: GameTitle;
  players: FilmPlayer[];
  step: number;
  to_move: number[];
  end: BoutEnd | null;
  began: string | null;
  match: MatchPlace | null;
  demo?: boolean;
  thumb?: BoardFrame;
  scene?: BoardScene;
  file?: string;
}

/** A match of a bracket. A player that is null is not known yet; an empty one is a bye. */
export interface BracketMatch {
  key: string;
  title: Text;
  a: string | null;
  b: string | null;
  score: number[] | null;
  winner: string | null;
  ending: string | null;
  extra: number;
  decided: Text;
  skipped: boolean;
  films: string[];
  extra_films: string[];
}

/** What an analysis cost. */
export interface BudgetUse {
  seconds: number;
  limit: number | null;
  judgements: number;
}

/** A button beside the board. */
export interface ButtonGesture {
  kind: "button";
  label: Text;
  move: string;
}

/** The reason, which the entrants' owners are told; may be empty. */
export interface CancelRequest {
  why?: string;
}

/** A click on a cell. */
export interface CellGesture {
  kind: "cell";
  row: number;
  column: number;
  move: string;
}

/** A challenge, or a batch test of one version against many. */
export interface ChallengeInfo {
  id: number;
  kind: "challenge" | "test";
  title: string;
  game: string;
  at: string;
  state: "closed" | "open" | "over" | "planned" | "published" | "running" | "stopped";
  why: Text | null;
  players: PlayerInfo[];
  score: number[];
  played: number;
  total: number;
  mine: boolean;
  rows?: TestedOpponent[];
  bouts?: BoutInfo[];
}

/** A page of challenges and batch tests. */
export interface ChallengePage {
  items: ChallengeInfo[];
  next: number | null;
}

/** Bouts between chosen bots. */
export interface ChallengeRequest {
  game: string;
  bots: (number | string)[];
  bouts?: number;
  clock?: Record<string, unknown> | null;
  options?: Record<string, unknown>;
  seed?: number | null;
  openings?: string;
}

/** A contest, a challenge or a ladder has changed and can be read again. */
export interface ChangedMessage {
  type: "changed";
}

/** An account after a change by the organiser. */
export interface ChangedUser {
  user: UserInfo;
  code?: string;
  activates: boolean;
}

/** A chat message in the room. */
export interface ChatMessage {
  type: "said";
  who: string;
  text: string;
  at: string;
}

/** A bout of a check; findings refer to it by number. */
export interface CheckedBout {
  title: Text;
  film: string | null;
}

/** What entering a class would do, student by student. */
export interface ClassEntries {
  entries: ClassEntry[];
}

/** What entering a class does with one student. */
export interface ClassEntry {
  user: number;
  name: string;
  real_name: string;
  number: string;
  section: string;
  bot: BotLink | null;
  version: number | null;
  state: "entered" | "enters" | "missing";
  why: Text | null;
}

/** Which bots of which class to enter. */
export interface ClassEntryRequest {
  group: number;
  which?: "current" | "ladder";
  section?: string;
}

/** Identifies a class. */
export interface ClassLink {
  id: number;
  name: string;
}

/** A message from a person's page; ``move``, ``say``, ``pause`` and ``rematch`` have fields of
    their own. */
export interface ClientMessage {
  type: string;
  n?: number;
  move?: string;
  on?: boolean;
  text?: string;
  swap?: boolean;
  bot?: string;
}

/** A time control, in seconds. */
export interface Clock {
  budget: number;
  increment: number;
  per_move: number | null;
  measure: "cpu" | "wall";
  patience: number;
}

/** A time control; what is left out is as in the game's own. */
export interface ClockSettings {
  budget: number | null;
  increment: number | null;
  per_move: number | null;
  measure: "cpu" | "wall" | null;
  patience: number | null;
}

/** A game, and how many bots of it there are to compare. */
export interface ComparableGame {
  game: string;
  bots: number;
}

/** The code of two similar submissions, to be read side by side. */
export interface ComparedCode {
  a: Record<string, string | null>;
  b: Record<string, string | null>;
  where: [string, number, number, string, number, number][];
}

/** An entrant of a contest: an uploaded bot or a house bot. */
export interface ContestEntrant {
  id: number;
  name: string;
  bot: BotLink | null;
  owner: OwnerInfo | null;
  house: string;
  mine: boolean;
  version: number | null;
  number: number | null;
  seed: number | null;
  dropped: boolean;
  disqualified: boolean;
  why: Text | null;
}

/** A contest. */
export interface ContestInfo {
  id: number;
  title: string;
  game: string;
  options: Record<string, unknown>;
  clock: Record<string, unknown>;
  seed: string | null;
  format: string;
  format_settings: Record<string, unknown>;
  match: Record<string, unknown>;
  stages: Record<string, unknown>;
  openings: string;
  group: number | null;
  runs: boolean;
  staff: boolean;
  state: "closed" | "open" | "over" | "planned" | "published" | "running" | "stopped";
  begun: boolean;
  why: Text | null;
  opens: string | null;
  closes: string | null;
  starts: string | null;
  publishes: string | null;
  hidden_until_published: boolean;
  delay: number;
  shown: boolean;
  imports: string[] | null;
  preset: string;
  about: string;
  author: string;
  entrants: ContestEntrant[];
  entered: boolean;
  bouts_played: number | null;
  bouts_listed: number | null;
  bouts_total: number | null;
  rounds_total: number | null;
  waits_for_workers: boolean;
}

/** The contest, challenge, test, ladder or grading of a bout. */
export interface ContestLink {
  id: number;
  kind: string;
  title: string;
  assignment?: number;
}

/** A page of contests. */
export interface ContestPage {
  items: ContestInfo[];
  next: number | null;
}

/** The whole report of a contest. */
export interface ContestReport {
  language: "en" | "zh";
  title: string;
  game: Text;
  seats: Text[];
  entrants: number;
  seed: string | null;
  made: string;
  first_bout: string;
  last_bout: string;
  tables: ContestTables;
  ratings: ReportRatings | null;
  bots: ReportBot[];
  matches: ReportMatch[];
  bouts: ReportBout[];
  turning_points: ReportTurningPoints | null;
  site: ReportSite | null;
  people: Record<string, string> | null;
}

/** A contest, or changes of one; fields that are left out do not change. */
export interface ContestRequest {
  title?: string | null;
  game?: string | null;
  options?: Record<string, unknown> | null;
  clock?: Record<string, unknown> | null;
  format?: string | null;
  format_settings?: Record<string, unknown> | null;
  match?: Record<string, unknown> | null;
  stages?: Record<string, unknown> | null;
  seed?: number | null;
  openings?: string | null;
  group?: number | null;
  opens?: string | null;
  closes?: string | null;
  starts?: string | null;
  publishes?: string | null;
  hidden_until_published?: boolean | null;
  delay?: number | null;
  imports?: string[] | null;
  preset?: string | null;
  about?: string | null;
}

/** Finished bouts in the order in which they ended, and the rounds that they belong to. */
export interface ContestShow {
  rounds: ShowRound[];
  bouts: ShowBout[];
  more: boolean;
}

/** The standings of a contest. */
export interface ContestTables {
  tables: StandingsInfo[];
  standings: StandingsInfo | null;
  bracket: BracketMatch[][] | null;
  crosstable: CrosstableInfo | null;
  copies: Text | null;
  over?: boolean;
  round?: number;
}

/** A move that turned a bout of a contest. */
export interface ContestTurningPoint {
  match: string;
  number: number;
  names: string[];
  film: string;
  step: number;
  seat: number;
  before: number;
  after: number;
  sentence: Record<string, string>;
}

/** Results of all entrants against each other. */
export interface CrosstableInfo {
  names: string[];
  points: Record<string, number>;
  cells: Record<string, [number, number, number]>;
  stopped: string[];
}

/** What a position of the bout is worth to each seat. */
export interface CurvePoint {
  step: number;
  expected: number[];
}

/** Sizes in bytes. */
export interface DiskUse {
  free: number;
  total: number;
  database: number;
}

/** The entrant and the reason. */
export interface DisqualifyRequest {
  entrant: number;
  why: string;
}

/** The request was carried out. */
export interface Done {
  ok: true;
}

/** A drag from a cell to another. */
export interface DragGesture {
  kind: "drag";
  row: number;
  column: number;
  to_row: number;
  to_column: number;
  move: string;
}

/** Whether the bots of the contest enter its copy, too. */
export interface DuplicateRequest {
  entrants?: boolean;
}

/** A bot of one's own, or (for the staff) a house bot. */
export interface EnterRequest {
  bot: number | string;
}

/** An entrant and its owners: one person, or the members of a team. */
export interface EntrantPeople {
  entrant: string;
  bot: number | null;
  people: EntrantPerson[];
}

/** An owner of an entrant, as the staff of the class sees them. */
export interface EntrantPerson {
  name: string;
  real_name: string;
  number: string;
  section: string;
}

/** What went wrong: a code for programs, a sentence for people. */
export interface ErrorDetail {
  code: string;
  en: string;
  zh: string;
}

/** A request was refused, or the connection cannot continue. */
export interface ErrorMessage {
  type: "error";
  error: ErrorDetail;
  stopped: boolean;
}

/** Why a request was refused. */
export interface ErrorResponse {
  error: ErrorDetail;
}

/** What a finding rests on, for whoever wants to look closer. */
export interface Evidence {
  hint: Text | null;
  output: string;
  bouts: number[];
  file: string;
  line: number;
}

/** A later deadline for one student. */
export interface ExtensionInfo {
  deadline: string;
  reason: string;
}

/** A later deadline for a student; null: that of the class. */
export interface ExtensionRequest {
  deadline: string | null;
  reason?: string;
}

/** Why a seat was stopped. */
export interface FaultInfo {
  kind: FaultKind;
  why: Text;
}

/** Why a seat lost other than by the rules. */
export type FaultKind = "crash" | "illegal" | "load" | "memory" | "output" | "resign" | "timeout";

/** A file that could not be read, and why. */
export interface FileError {
  file: string;
  error: ErrorDetail;
}

/** The bout is over. */
export interface FilmEndMessage {
  type: "end";
  end: BoutEnd;
}

/** The game of a film. */
export interface FilmGame {
  name: string;
  title: Text;
  seats: Text[];
  hidden: boolean;
}

/** A bout as the page shows it: a first frame and the changes of every step. */
export interface FilmInfo {
  id: string;
  kind: "file" | "live" | "record" | "room";
  game: FilmGame;
  version: number;
  options: Record<string, unknown>;
  seed: number | null;
  players: FilmPlayer[];
  clock: Clock | null;
  began: string | null;
  match: MatchPlace | null;
  seat: number | null;
  scene: BoardScene;
  key: BoardFrame;
  steps: FilmStep[];
  end: BoutEnd | null;
  can: FilmRights;
}

/** A bout so far. */
export interface FilmMessage {
  type: "film";
  film: FilmInfo;
}

/** The notes of a bout that one may read. */
export interface FilmNotes {
  seats: Record<string, SeatNotesInfo>;
}

/** Who sits on a seat. */
export interface FilmPlayer {
  name: string;
  human: boolean;
  digest?: string;
  isolation?: string;
}

/** A position of another bout. */
export interface FilmPosition {
  film: string;
  step: number;
}

/** What may be done with a film. */
export interface FilmRights {
  continue: boolean;
  practise: boolean;
}

/** What one step changed. */
export interface FilmStep {
  moves: Record<string, string>;
  cpu: Record<string, number>;
  wall: Record<string, number>;
  cells: Record<string, [number, string][]>;
  set: FrameChanges;
  events: BoardEvent[];
  log?: [number, boolean, string][];
  display?: unknown;
  left?: number[];
  opening?: boolean;
  told?: StepWords;
}

/** One fact that a check has established. */
export interface Finding {
  code: string;
  severity: Severity;
  text: Text;
  evidence: Evidence;
}

/** What a teacher has done for a class so far. */
export interface FirstSteps {
  roster: boolean;
  invitation: boolean;
  assignment: boolean;
  contest: boolean;
}

/** Every format with its settings, and the settings of a match. */
export interface FormatForms {
  formats: FormatInfo[];
  match: SettingInfo[];
}

/** A format with its settings. */
export interface FormatInfo {
  name: string;
  settings: SettingInfo[];
}

/** The texts of a contest format. */
export interface FormatText {
  name: Text;
  summary: Text;
}

/** A page of bouts that a search found. */
export interface FoundBouts {
  items: BoutInfo[];
  next: number | null;
  count: number | null;
  more_than_count: boolean;
}

/** What may change from step to step besides the cells. */
export interface FrameChanges {
  bars?: Record<string, number>;
  counters?: Record<string, number | number[]>;
  marks?: Record<string, number[]>;
  phase?: Text;
  to_move?: number[];
}

/** A name that a new bot may have. */
export interface FreeName {
  name: string;
}

/** What people read about a game. Texts are Markdown; ``![](name)`` stands for a board. */
export interface GameGuideInfo {
  game: string;
  about: Text;
  rules: Text;
  notation: Text;
  bots: Text;
  boards: GuideBoard[];
  variants: GuideVariantInfo[];
  openings: GuideOpenings;
}

/** A game with its options, its clock and its house bots. */
export interface GameInfo {
  name: string;
  title: Text;
  about: Text;
  seats: Text[];
  hidden: boolean;
  version: number;
  options: GameOption[];
  clock: Clock;
  practice: boolean;
  casual: Record<string, unknown>;
  implied: Record<string, Record<string, Record<string, unknown>>>;
  tables: GameTable[];
  bots: HouseBotInfo[];
}

/** A setting of a game's rules. */
export interface GameOption {
  name: string;
  type: string;
  default: unknown;
  low: number | null;
  high: number | null;
  choices: string[] | null;
  help: Text;
  title: Text;
  value_names: Record<string, Text>;
}

/** The best bot of a person on the ladder of one game. */
export interface GameRating {
  game: string;
  bot: BotLink;
  elo: number;
  low: number;
  high: number;
  place: number;
  of: number;
  history: RatingPoint[];
}

/** A number of players: what the game is called for them, and their seats. */
export interface GameTable {
  name: string;
  seats: Text[];
}

/** Which game. */
export interface GameTitle {
  name: string;
  title: Text;
}

/** What becomes of pushed versions. */
export interface GitChange {
  ladder: boolean;
}

/** How a bot is submitted with git, for its owners. */
export interface GitInfo {
  available: boolean;
  address: string;
  ladder: boolean;
  remote: GitRemoteInfo | null;
  pushes: GitPushInfo[];
  secret: string;
}

/** A ref that was pushed, and what became of it. */
export interface GitPushInfo {
  id: number;
  at: string;
  origin: "push" | "webhook";
  ref: string;
  commit: string;
  subject: string;
  state: "refused" | "taken" | "waiting";
  version: number | null;
  check: "checking" | "good" | "refused" | null;
  reason: Text | null;
}

/** A repository elsewhere that a bot is tied to, without its secrets. */
export interface GitRemoteInfo {
  url: string;
  kind: "gitea" | "github" | "gitlab";
  branch: string;
  webhook: string;
  public_key: string;
  has_token: boolean;
  tied_by: string;
}

/** The program that played the bout has ended; the bout cannot continue. */
export interface GoneMessage {
  type: "gone";
}

/** How good a move was, by the expected score that it gave away. */
export type Grade = "blunder" | "fine" | "inaccuracy" | "missed win" | "mistake";

/** Bouts of gradings under way. */
export interface GradingProgress {
  played: number;
  planned: number;
}

/** What gives points besides the rivals, and how the total is rounded. */
export interface GradingRule {
  no_fault: number;
  no_fault_share: boolean;
  ladder: LadderBand[];
  manual: ManualPart[];
  round_to: "0.01" | "0.1" | "0.5" | "1";
}

/** Changes of a class; fields that are left out do not change. */
export interface GroupChange {
  name?: string | null;
  archived?: boolean | null;
}

/** A class. */
export interface GroupInfo {
  id: number;
  name: string;
  members: number;
  mine: boolean;
  role: "assistant" | "student" | "teacher" | null;
  archived: string | null;
  code?: string;
  people?: GroupMember[];
  steps?: FirstSteps;
}

/** A member of a class, as its staff sees them. */
export interface GroupMember {
  id: number;
  name: string;
  shown: string;
  role: "assistant" | "student" | "teacher";
  number: string;
  real_name: string;
  section: string;
  activated: boolean;
  joined: string;
  teams: string[];
}

/** A position that explains something: a film of the last moves that lead to it. */
export interface GuideBoard {
  name: string;
  caption: Text;
  scene: BoardScene;
  key: BoardFrame;
  steps: FilmStep[];
}

/** How bouts between bots begin. */
export interface GuideOpenings {
  kind: "random" | "seed" | "start" | "suite";
  count: number;
  samples: GuideBoard[];
}

/** Options of a game that people know as a game of its own. */
export interface GuideVariantInfo {
  title: Text;
  about: Text;
  options: Record<string, unknown>;
  board: GuideBoard | null;
}

/** Whether all checks passed, and each check's result: ``ok`` or what is wrong. */
export interface HealthReport {
  ok: boolean;
  checks: Record<string, string>;
}

/** A bot that anybody may play against. */
export interface HouseBotInfo {
  name: string;
  title: Text;
  description: Text;
  level: "beginner" | "hard" | "master" | "normal" | null;
}

/** A move was refused; the question is repeated. */
export interface IllegalMessage {
  type: "illegal";
  move: string;
  why: Text;
}

/** The code of a team or class. */
export interface JoinRequest {
  code: string;
}

/** Who judged the moves, and how. */
export interface JudgeFacts {
  name: string;
  title: Record<string, string>;
  parameters: Record<string, unknown>;
  reply: string;
}

/** A key. */
export interface KeyGesture {
  kind: "key";
  key: string;
  move: string;
}

/** Points for those whose best bot on the ladder is at this place of the class or better. */
export interface LadderBand {
  place: number;
  points: number;
}

/** A bot on a ladder; a house bot has no id. */
export interface LadderBot {
  id: number | null;
  name: string;
  owner: OwnerInfo;
  language: string;
}

/** A game's ladder. */
export interface LadderInfo {
  game: string;
  contest: number | null;
  rows: LadderRow[];
  bouts: number;
  copies: Text | null;
  at: string | null;
}

/** A line of a ladder. */
export interface LadderRow {
  place: number;
  bot: LadderBot;
  version: VersionLink | null;
  elo: number;
  low: number;
  high: number;
  bouts: number;
  won: number;
  drawn: number;
  lost: number;
  copies: number;
  faults: number;
  apart: boolean;
}

/** A ladder in the list of ladders. */
export interface LadderSummary {
  game: string;
  title: Text;
  bots: number;
  bouts: number;
  leader: LadderRow | null;
}

/** What becomes of work after the deadline. */
export interface LateRule {
  days: number;
  percent_a_day: number;
}

/** The bot to withdraw; by default the one that you entered. */
export interface LeaveRequest {
  bot?: number | null;
}

/** The bouts under way. */
export interface LiveMessage {
  type: "live";
  items: BoutSummary[];
}

/** A name and a password. */
export interface Login {
  name: string;
  password: string;
}

/** Load averages over 1, 5 and 15 minutes. */
export interface MachineLoad {
  average: number[];
  cores: number | null;
}

/** Whether notices are sent by e-mail. */
export interface MailChange {
  notices: boolean;
}

/** The code in the link of a mail. */
export interface MailCode {
  code: string;
}

/** Something that a teacher judges, such as a report. */
export interface ManualPart {
  title: string;
  points: number;
  rubric: string;
}

/** The marks of a class. */
export interface MarkBookInfo {
  assignment: AssignmentInfo;
  bouts: number;
  levels: RivalInfo[];
  manual: string[];
  rubrics: string[];
  manual_points: number[];
  has_no_fault: boolean;
  has_ladder: boolean;
  students: StudentMarks[];
  changed: number;
  replayed: number;
  progress: GradingProgress | null;
}

/** One reason for points, with its numbers in a sentence. */
export interface MarkLineInfo {
  kind: "ladder" | "late" | "manual" | "no_fault" | "rival";
  level: number;
  points: number | null;
  most: number;
  why: Text;
}

/** The marks for a submission. */
export interface MarksInfo {
  total: number;
  most: number;
  complete: boolean;
  lines: MarkLineInfo[];
}

/** Which bout of a match, with its neighbours as far as they are known. */
export interface MatchPlace {
  id: string;
  number: number;
  of?: number | null;
  previous?: string | null;
  next?: string | null;
}

/** Bouts between bots. */
export interface MatchRequest {
  game: string;
  bots: string[];
  options?: Record<string, unknown>;
  bouts?: number;
  delay?: number;
  seed?: number | null;
  openings?: string;
}

/** Two bots head to head. */
export interface Matchup {
  score: MatchupScore;
  copies: number;
  elo: number | null;
  low: number | null;
  high: number | null;
  better: number | null;
  seats: MatchupScore[];
  versions: VersionScore[];
  openings: OpeningScore[];
  course: number[];
}

/** Two bots head to head, from the side of the first. */
export interface MatchupInfo {
  game: string;
  bots: PlayerInfo[];
  matchup: Matchup;
  losing: OpeningScore[][];
  copies: Text | null;
  limited: boolean;
}

/** Bouts won, drawn and lost by the first of the two. */
export interface MatchupScore {
  won: number;
  drawn: number;
  lost: number;
  share: number;
}

/** What a member does in a class from now on. */
export interface MemberChange {
  role: "assistant" | "student" | "teacher";
}

/** The bot's moves of one kind, and how good they were. */
export interface MistakeGroup {
  by: string;
  name: Record<string, string>;
  moves: number;
  mistakes: number;
  mean_loss: number;
}

/** One move of a seat, as the judge sees it. */
export interface MoveAnalysis {
  step: number;
  seat: number;
  move: string;
  before: number;
  after: number;
  loss: number;
  grade: Grade;
  best: string;
  line: string[];
  certain: boolean;
  level: number;
  graded: boolean;
}

/** What a bot said about one move. */
export interface MoveNote {
  text: string;
  score: number | null;
  depth: number | null;
  nodes: number | null;
  line: string[];
  shapes: BoardShape[];
  problems: Text[];
}

/** A name for something new. */
export interface NameRequest {
  name: string;
}

/** An account created from a class list, which nobody has used yet. */
export interface NewAccount {
  name: string;
  code: string;
  number: string;
  real_name: string;
  section: string;
  email: string;
}

/** The text of a new comment or announcement. */
export interface NewPost {
  text: string;
}

/** The purpose, the scopes and the lifetime in days of a new token. */
export interface NewToken {
  label?: string;
  scopes?: ("admin" | "play" | "read" | "upload")[];
  days?: number | null;
}

/** The next bout of the match has begun. */
export interface NextMessage {
  type: "next";
  id: string;
}

/** A notification for a person. */
export interface NoticeInfo {
  id: number;
  at: string;
  kind: string;
  text: Text;
  link: string;
  read: boolean;
}

/** A new notice. */
export interface NoticeMessage {
  type: "notice";
  id: number;
  at: string;
  kind: string;
  text: Text;
  link: string;
  read: boolean;
}

/** A page of one's own notices. */
export interface NoticePage {
  items: NoticeInfo[];
  next: number | null;
}

/** What people without an account may do. */
export interface OpenDoors {
  register: boolean;
}

/** The results of opening files. */
export interface OpenedFilms {
  films: BoutSummary[];
  errors: FileError[];
}

/** A room that was opened. */
export interface OpenedRoom {
  room: string;
  seats: SeatKey[];
}

/** The score of the bouts with one opening. */
export interface OpeningScore {
  opening: string[];
  score: MatchupScore;
  sources: string[];
}

/** The work of one student: what they have so far, and why. */
export interface OwnWork {
  marks: MarksInfo;
  submissions: SubmissionInfo[];
  comment: string;
  override: number | null;
  reason: string;
  attempts_left: number | null;
  extension: ExtensionInfo | null;
}

/** The owner of a bot: a person, a team, or the house. */
export interface OwnerInfo {
  kind: "house" | "team" | "user";
  id: number | null;
  name: string;
  shown?: string;
}

/** The old password and a new one. */
export interface PasswordChange {
  old: string;
  new: string;
}

/** A one-time code and a new password. */
export interface PasswordReset {
  code: string;
  new: string;
}

/** A new password was set for the person with this name. */
export interface PasswordResetDone {
  name: string;
  ok: true;
}

/** The bout is paused, or goes on. */
export interface PauseMessage {
  type: "pause";
  on: boolean;
}

/** What a teacher adds to the marks of a student. */
export interface PersonMarksRequest {
  manual?: Record<string, number>;
  comment?: string;
  override?: number | null;
  reason?: string;
}

/** An entrant: an uploaded bot, or a house bot, which has no id. */
export interface PlayerInfo {
  name: string;
  bot?: BotLink;
  version?: VersionLink;
  owner?: OwnerInfo;
}

/** What a player that is a service elsewhere has used in one bout. */
export interface PlayerUsage {
  requests: number;
  failures: number;
  illegal: number;
  tokens_in: number;
  tokens_out: number;
  cost: number;
  currency: string;
}

/** The answer to a ``ping``. */
export interface PongMessage {
  type: "pong";
}

/** The person who wrote a comment or an announcement. */
export interface PostAuthor {
  name: string;
  shown: string;
  role: "organiser" | "student" | "teacher";
}

/** Hide a post, or show it again. */
export interface PostChange {
  hidden: boolean;
}

/** A comment or an announcement; plain text. */
export interface PostInfo {
  id: number;
  at: string;
  author: PostAuthor;
  text: string;
  mine: boolean;
  hidden: boolean;
}

/** A page of comments or announcements, newest first, and what the reader may do there. */
export interface PostPage {
  items: PostInfo[];
  next: number | null;
  may_write: boolean;
  may_moderate: boolean;
}

/** Who is in the room. */
export interface PresenceMessage {
  type: "presence";
  seats: SeatPresence[];
}

/** A preset: the settings of a real event. */
export interface PresetInfo {
  name: string;
  title: Text;
  game: string;
  settings: Record<string, unknown>;
}

/** What each legal move of a question leads to, so that a page can draw it at once.

    Not every move need be there; games with hidden information have none. */
export interface PreviewMessage {
  type: "preview";
  n: number;
  steps: Record<string, FilmStep>;
}

/** A person's own description of themselves. */
export interface ProfileChange {
  shown?: string | null;
  email?: string | null;
  language?: "" | "en" | "zh" | null;
}

/** What somebody on a seat proposes. */
export interface ProposalInfo {
  kind: "rematch" | "restart" | "undo";
  seat: number;
  swap: boolean;
}

/** Somebody asks the others to agree to something; null: nothing is asked any more. */
export interface ProposalMessage {
  type: "proposal";
  proposal: ProposalInfo | null;
  declined: boolean;
}

/** Versions waiting for their check, and contests, ladders and challenges under way. */
export interface QueueLengths {
  checks: number;
  contests: number;
}

/** The rating of an entrant, with its 95 % interval. */
export interface RatedEntrant {
  name: string;
  elo: number;
  low: number;
  high: number;
  shown: string;
  group: number;
}

/** The entrant whose rating is fixed. */
export interface RatingAnchor {
  name: string;
  elo: number;
}

/** A bot's rating at one time. */
export interface RatingPoint {
  at: string;
  elo: number;
  low: number;
  high: number;
  version: number;
}

/** A new account. */
export interface Registration {
  name: string;
  password: string;
  shown?: string;
  email?: string;
  code?: string;
  invitation?: string;
}

/** How to grade again. */
export interface RegradeRequest {
  again?: boolean;
}

/** Which bouts to play again, and the reason. */
export interface RejudgeRequest {
  why: string;
  match?: string | null;
  bout?: number | null;
  entrant?: string | null;
}

/** The same people play again in another room; the tokens of their seats are the same. */
export interface RematchMessage {
  type: "rematch";
  room: string;
  earlier: boolean;
}

/** A repository elsewhere that a bot is to be tied to. */
export interface RemoteRequest {
  url: string;
  kind: "gitea" | "github" | "gitlab";
  branch?: string;
  token?: string;
}

/** The entrant to remove. */
export interface RemoveRequest {
  entrant: number;
}

/** Bouts, thinking time and faults of an entrant. */
export interface ReportBot {
  name: string;
  bouts: number;
  won: number;
  drawn: number;
  lost: number;
  cpu: number;
  slowest: number;
  faults: Record<string, number>;
}

/** A bout. */
export interface ReportBout {
  names: string[];
  winner: string | null;
  reason: Text;
  fault: boolean;
  plies: number;
  cpu: number[];
  record: string | null;
  film: string | null;
}

/** A match of which at least one bout was played. */
export interface ReportMatch {
  title: Text;
  entrants: string[];
  scores: number[] | null;
  winner: string | null;
  ending: string | null;
  decided: Text;
}

/** Ratings from all bouts together. */
export interface ReportRatings {
  rows: RatedEntrant[];
  anchor: RatingAnchor | null;
  seat: number;
  seat_error: number;
}

/** The server on which the contest and its bouts have pages. */
export interface ReportSite {
  address: string;
  contest: number;
}

/** A move that turned a bout. */
export interface ReportTurningPoint {
  names: string[];
  sentence: Text;
  record: string | null;
  film: string | null;
}

/** The biggest turning points of a contest. */
export interface ReportTurningPoints {
  judged: number;
  bouts: number;
  points: ReportTurningPoint[];
}

/** The bout begins again. */
export interface RestartMessage {
  type: "restart";
  film: FilmInfo;
}

/** A bot that every submission meets, and what its bouts are worth. */
export interface Rival {
  bot: string;
  level: number;
  hidden: boolean;
  points: number;
  from_percent: number;
  full_percent: number;
}

/** A rival as the reader may know it. */
export interface RivalInfo {
  level: number;
  hidden: boolean;
  points: number;
  name: Text | null;
}

/** The room is not there, or not any more. */
export interface RoomClosedMessage {
  type: "closed";
  reason: "deserted" | "over" | "unknown";
  game: string | null;
  film: string | null;
  rematch: string | null;
}

/** A room in the list. */
export interface RoomInfo {
  id: string;
  title: string;
  game: GameTitle;
  state: "left" | "over" | "playing" | "waiting";
  seats: SeatPresence[];
  practice: boolean;
  watchers: number;
}

/** A bout with people on its seats. */
export interface RoomRequest {
  seats: SeatRequest[];
  game?: string;
  options?: Record<string, unknown>;
  clock?: Clock | null;
  title?: string;
  practice?: boolean;
  delay?: number;
  seed?: number | null;
  from?: FilmPosition | null;
  moves?: Record<string, string>[];
}

/** A line of a class list that could not be used. */
export interface RosterError {
  line: number;
  why: Text;
}

/** A column of a class list. */
export interface RosterHeading {
  heading: string;
  meaning: "account" | "display_name" | "email" | "number" | "password" | "real_name" | "section" | null;
}

/** A line of a class list, and what an import would do with it. */
export interface RosterPerson {
  line: number;
  state: "changed" | "invited" | "joins" | "member" | "new" | "wrong";
  number: string;
  real_name: string;
  section: string;
  email: string;
  account: string;
  why: Text | null;
}

/** What an import of a class list would do. */
export interface RosterPreview {
  headings: RosterHeading[];
  people: RosterPerson[];
  counts: Record<string, number>;
}

/** The results of importing a class list. */
export interface RosterReport {
  created: NewAccount[];
  joined: string[];
  members: string[];
  changed: string[];
  invited: string[];
  errors: RosterError[];
}

/** A grading rule as it would be. */
export interface RulePreview {
  rule: Text[];
  most: number;
  bouts: number;
}

/** The bout was saved as the film of this id. */
export interface SavedMessage {
  type: "saved";
  id: string;
}

/** A student against a rival. */
export interface ScoreCell {
  level: number;
  points: number | null;
  score: number;
  bouts: number;
  faults: number;
  low: number;
  high: number;
}

/** How well a seat played, over all its judged moves. */
export interface SeatAnalysis {
  seat: number;
  bot: string;
  moves: number;
  accuracy: number | null;
  mean_loss: number;
  grades: Record<string, number>;
}

/** Why a seat was stopped, as the public may see it. */
export interface SeatFaultInfo {
  seat: number;
  kind: FaultKind;
  why: Text;
  move?: string;
}

/** A seat of a new room; a person's has the token that opens it. */
export interface SeatKey {
  seat: number;
  kind: "bot" | "human" | "open" | "remote";
  token?: string;
  link?: string;
}

/** The seat of a room that the receiver has; null: it is a spectator. */
export interface SeatMessage {
  type: "seat";
  seat: number | null;
  practice: boolean;
}

/** The name under which the person on a seat plays. */
export interface SeatName {
  seat: number;
  name: string;
}

/** The name of the person on a seat. */
export interface SeatNameRequest {
  token: string;
  name?: string;
}

/** The notes of the bot on one seat. */
export interface SeatNotesInfo {
  notes: StepNote[];
  left_out: Text | null;
  public: boolean;
}

/** A bot's output in a bout, and its traceback. */
export interface SeatOutput {
  stdout: string;
  stderr: string;
  traceback: string;
}

/** A person's seat in a room. */
export interface SeatPresence {
  seat: number;
  kind: "bot" | "human" | "open" | "remote";
  name: string;
  open: boolean;
  connected: boolean;
  arrived: boolean;
}

/** The player of a seat: a person, a bot, an open seat for anybody, or a remote program. */
export interface SeatRequest {
  kind: "bot" | "human" | "open" | "remote";
  name?: string;
  bot?: string | number;
}

/** A seminar, for everyone who has its code. */
export interface SeminarInfo {
  code: string;
  film: string;
  leads: boolean;
  students: number[];
  ends_at: string;
}

/** What the leader of a seminar shows now. */
export interface SeminarMessage {
  type: "seminar";
  view: SeminarView;
  followers: number;
  led: boolean;
}

/** The bout that is to be replayed for others. */
export interface SeminarRequest {
  film: string;
}

/** What the leader of a seminar shows. */
export interface SeminarView {
  step: number;
  shapes: BoardShape[];
  analysis: boolean;
}

/** The server: its version and language, whether demos run and who can reach it. */
export interface ServerInfo {
  version: string;
  language: string;
  demo: boolean;
  loopback: boolean;
}

/** A setting of a format or of a match, as a field of a form. */
export interface SettingInfo {
  name: string;
  type: string;
  default: unknown;
  choices: string[] | null;
  help: Text;
}

/** The texts of a contest setting. */
export interface SettingText {
  title: Text;
  choices: Record<string, Text>;
  help: Text | null;
}

/** Two versions that the staff has looked at, and why they need no more attention. */
export interface SettledPair {
  a: number;
  b: number;
  reason: string;
}

/** Why a pair needs no more attention. */
export interface Settlement {
  reason: string;
  by: string;
  at: string;
}

/** How a finding is to be taken. */
export type Severity = "fine" | "note" | "odd" | "wrong";

/** Which bout of a demo is to be saved. */
export interface ShareRequest {
  number: number;
}

/** A bout of a demo that is saved, at the latest at its end. */
export interface SharedFilm {
  film: string;
}

/** A finished bout of a contest, for a show. */
export interface ShowBout {
  id: number;
  film: string;
  match: string;
  number: number;
  round: number;
  names: string[];
  figures: number[];
  winner: number | null;
}

/** A round of a contest; in a bracket each side has its own. */
export interface ShowRound {
  key: string;
  title: Text;
  number: number;
}

/** Two similar submissions. */
export interface SimilarSubmissions {
  a: Submission;
  b: Submission;
  share: number;
  where: [string, number, number, string, number, number][];
  settled: Settlement | null;
}

/** Numbers of accounts, bots and so on. */
export interface SiteCounts {
  users: number;
  bots: number;
  versions: number;
  bouts: number;
}

/** The state of the site. */
export interface SiteOverview {
  queue: QueueLengths;
  workers: WorkerUse;
  load: MachineLoad;
  storage: DiskUse;
  counts: SiteCounts;
  bouts_per_hour: number;
  faults: BoutInfo[];
  ladders: LadderSummary[];
}

/** Every setting of the site with its default. */
export interface SiteSettings {
  register: boolean;
  guests: boolean;
  upload_kilobytes: number;
  storage_megabytes: number;
  repository_megabytes: number;
  git_hosts: string[];
  bots_per_game: number;
  uploads_a_day: number;
  bouts_a_day: number;
  opponents_a_day: number;
  clock_seconds: number;
  jail: "plain" | "strong" | "userns" | null;
  ladders: Record<string, boolean>;
  ladder_enough: number;
  ladder_house: Record<string, string[]>;
  ladder_models: Record<string, string[]>;
  model_bouts_a_day: number;
  ladder_clock: Record<string, Record<string, unknown>>;
  ladder_options: Record<string, Record<string, unknown>>;
  ladder_openings: Record<string, string>;
  imports: Record<string, string[] | null>;
  outputs_days: number;
  check_trials?: Trial[];
  check_bouts: number;
  check_seconds: number;
}

/** A column of a table: the key of its value in each row, and its title. */
export interface StandingsColumn {
  key: string;
  title: Text;
}

/** A table of standings. */
export interface StandingsInfo {
  title: Text;
  columns: StandingsColumn[];
  rows: StandingsRowInfo[];
  through: number | null;
  scale: "elo" | "points";
  crossed: boolean;
}

/** A line of a table; the values of tie-breaks have the keys of their columns (``tie0``, …). */
export interface StandingsRowInfo {
  bouts: number;
  draws: number;
  losses: number;
  name: string;
  note: "" | "champion" | "disqualified" | "dropped" | "through";
  place: number;
  points: number;
  scored: number;
  why: string;
  wins: number;
}

/** A match between bots that was started. */
export interface StartedMatch {
  match: string;
  films: string[];
  key: string;
}

/** A program that a new bot may start from. */
export interface StarterKit {
  name: string;
  dialect: string;
  label: string;
  template: Record<string, string>;
}

/** The starter kits of a game. */
export interface StarterKits {
  languages: StarterKit[];
}

/** One more step; ``n`` counts from 1. */
export interface StepMessage {
  type: "step";
  n: number;
  step: FilmStep;
}

/** A note with its place in a bout. */
export interface StepNote {
  step: number;
  note: MoveNote;
}

/** A step in words: who did something, and what. */
export interface StepWords {
  seat: number;
  text: Text;
}

/** Identifies who may stop a match. */
export interface StopRequest {
  key?: string;
}

/** A match that was stopped. */
export interface StoppedMatch {
  match: string;
}

/** Bytes of a person's versions, and the limit. */
export interface StorageUse {
  used: number;
  most: number;
}

/** A line of the marks of a class. */
export interface StudentMarks {
  user: number;
  name: string;
  shown: string;
  number: string;
  section: string;
  submission: number | null;
  submissions: number;
  waiting: number;
  status: "checking" | "graded" | "nothing" | "queued" | "refused" | "so_far";
  at: string | null;
  days_late: number;
  extension: ExtensionInfo | null;
  rivals: ScoreCell[];
  no_fault: number | null;
  late: number;
  ladder: number | null;
  manual: Record<string, number>;
  comment: string;
  override: number | null;
  reason: string;
  computed: number;
  total: number;
  complete: boolean;
}

/** An uploaded version, in a comparison. */
export interface Submission {
  version: VersionLink;
  bot: BotLink;
  owner: OwnerInfo;
  at: string;
  made_with: "" | "alone" | "model" | "team";
  classes: string[];
  people: string[];
}

/** The bouts of a submission that one may see. */
export interface SubmissionBouts {
  bouts: BoutInfo[];
  levels: Record<string, number>;
}

/** A submission, for those who made it and the staff. */
export interface SubmissionInfo {
  id: number;
  at: string;
  bot: BotLink;
  version: VersionLink;
  state: "grading" | "refused" | "waiting";
  days_late: number;
  played: number;
  planned: number;
  counts: boolean;
  marks: MarksInfo | null;
  stopped: Text | null;
}

/** What is handed in: a version, or the newest version of a bot. */
export interface SubmissionRequest {
  version?: number | null;
  bot?: number | null;
}

/** The code of one submission, to be read. */
export interface SubmittedCode {
  files: Record<string, string | null>;
}

/** A page of saved bouts. */
export interface SummaryPage {
  items: BoutSummary[];
  next: string | null;
}

/** An open seat that was taken. */
export interface TakenSeat {
  room: string;
  seat: number;
  token: string;
}

/** People who own bots together. */
export interface TeamInfo {
  id: number;
  name: string;
  members: TeamMember[];
  code?: string;
}

/** A member of a team. */
export interface TeamMember {
  id: number;
  name: string;
  captain: boolean;
}

/** An opponent in a batch test, from the point of view of the tested version. */
export interface TestedOpponent {
  name: string;
  bot?: BotLink;
  version?: VersionLink;
  owner?: OwnerInfo;
  won: number;
  drawn: number;
  lost: number;
  faults: number;
}

/** The same words in each language: ``Text("draw", "平局")``.

    It is a mapping of its languages, so ``text["en"]``, ``dict(text)`` and a comparison with a dict
    work, and it is JSON's ``{"en": …, "zh": …}`` wherever Ludus encodes or decodes it. */
export interface Text {
  en: string;
  zh: string;
}

/** A token; its text is included only when it was just created. */
export interface TokenInfo {
  id: number;
  label: string;
  made: string;
  scopes: ("admin" | "play" | "read" | "upload")[];
  until: string | null;
  used: string | null;
  token?: string;
}

/** One kind of situation in which a check plays the bot. */
export type Trial = "odd-options" | "opponent-crash" | "repeat" | "seats" | "self-play" | "short-clock";

/** The move after which the bout went the way it ended. */
export interface TurningPoint {
  step: number;
  seat: number;
  move: string;
  before: number;
  after: number;
  best: string;
  sentence: Record<string, string>;
}

/** How far the search for a contest's turning points is, and the biggest found so far. */
export interface TurningPointsInfo {
  progress: BatchProgress;
  judged: number;
  bouts: number;
  points: ContestTurningPoint[];
}

/** Changes of an account by the organiser. */
export interface UserChange {
  role?: "organiser" | "student" | "teacher" | null;
  active?: boolean | null;
  reset?: boolean;
}

/** A person with an account. */
export interface UserInfo {
  id: number;
  name: string;
  shown: string;
  role: "organiser" | "student" | "teacher";
  joined: string;
  active: boolean;
  email?: string;
  language?: string;
  email_verified?: boolean;
  mail_notices?: boolean;
  real_names?: string[];
  numbers?: string[];
}

/** A page of people. */
export interface UserPage {
  items: UserInfo[];
  next: number | null;
}

/** A person's public page. */
export interface UserProfile {
  user: UserInfo;
  bots: BotInfo[];
  bouts: BoutInfo[];
  ratings: GameRating[];
  wins: BestWin[];
  storage?: StorageUse;
}

/** What the owner of a version may say about it later. */
export interface VersionChange {
  made_with: "" | "alone" | "model" | "team";
}

/** The result of a version's check for its owner; stored as JSON. */
export interface VersionCheckResult {
  findings: Finding[];
  bouts: CheckedBout[];
  stdout: string;
  stderr: string;
}

/** A version of a bot. */
export interface VersionInfo {
  id: number;
  bot: number;
  number: number;
  at: string;
  size: number;
  digest: string;
  language: string;
  state: "checking" | "good" | "refused";
  remark: string;
  made_with: "" | "alone" | "model" | "team";
  check: VersionCheckResult | null;
  on_ladder: boolean;
  commit: string;
}

/** Identifies a version of a bot. */
export interface VersionLink {
  id: number;
  number: number;
}

/** The check of one of the receiver's versions has ended. */
export interface VersionMessage {
  type: "version";
  id: number;
  bot: number;
  number: number;
  at: string;
  size: number;
  digest: string;
  language: string;
  state: "checking" | "good" | "refused";
  remark: string;
  made_with: "" | "alone" | "model" | "team";
  check: VersionCheckResult | null;
  on_ladder: boolean;
  commit: string;
}

/** How far the check of a version is. */
export interface VersionProgress {
  bout: number;
  bouts: number;
  title: Text;
  cpu_s: number;
  limit_s: number;
  elapsed_s: number;
}

/** How a version of the bot did against a version of its rival. */
export interface VersionScore {
  versions: [string, string];
  score: MatchupScore;
}

/** The names of all keys of the API. */
export interface Vocabulary {
  faults: Record<string, Text>;
  roles: Record<string, Text>;
  group_roles: Record<string, Text>;
  version_states: Record<string, Text>;
  made_with: Record<string, Text>;
  contest_states: Record<string, Text>;
  formats: Record<string, FormatText>;
  tie_breaks: Record<string, Text>;
  settings: Record<string, SettingText>;
  languages: Record<string, string>;
  house_bots: Record<string, Text>;
}

/** What a webhook led to: ``waiting`` to be fetched, or ``ignored``. */
export interface WebhookAnswer {
  state: string;
}

/** The background process and its workers. */
export interface WorkerUse {
  places: number;
  busy: number;
  alive: boolean;
  starting: boolean;
  trouble: string;
}

export type ContestState =
  | "closed"
  | "open"
  | "over"
  | "planned"
  | "published"
  | "running"
  | "stopped";

export type FilmKind =
  | "file"
  | "live"
  | "record"
  | "room";

export type Gesture =
  | CellGesture
  | DragGesture
  | KeyGesture
  | ButtonGesture;

export type GroupRole =
  | "assistant"
  | "student"
  | "teacher";

export type Role =
  | "organiser"
  | "student"
  | "teacher";

export type RosterColumn =
  | "account"
  | "display_name"
  | "email"
  | "number"
  | "password"
  | "real_name"
  | "section";

export type RoomState =
  | "left"
  | "over"
  | "playing"
  | "waiting";

export type Scope =
  | "admin"
  | "play"
  | "read"
  | "upload";

export type SeatKind =
  | "bot"
  | "human"
  | "open"
  | "remote";

export type ServerMessage =
  | FilmMessage
  | RestartMessage
  | StepMessage
  | FilmEndMessage
  | SavedMessage
  | NextMessage
  | GoneMessage
  | ErrorMessage
  | LiveMessage
  | SeatMessage
  | ChatMessage
  | PauseMessage
  | AskMessage
  | PreviewMessage
  | ProposalMessage
  | RematchMessage
  | RoomClosedMessage
  | IllegalMessage
  | PresenceMessage
  | SeminarMessage
  | PongMessage
  | ChangedMessage
  | NoticeMessage
  | VersionMessage;

export type VersionState =
  | "checking"
  | "good"
  | "refused";

export type MadeWith =
  | ""
  | "alone"
  | "model"
  | "team";

/** By method and path under `/api`: what is answered, and what is sent. */
export interface Routes {
  "DELETE /admin/base-code/{id}": { answer: Done; body: undefined };
  "DELETE /admin/similar/settled/{a}/{b}": { answer: Done; body: undefined };
  "DELETE /assignments/{id}": { answer: Done; body: undefined };
  "DELETE /bots/{id}": { answer: Done; body: undefined };
  "DELETE /bots/{id}/git/remote": { answer: GitInfo; body: undefined };
  "DELETE /challenges/{id}": { answer: ChallengeInfo; body: undefined };
  "DELETE /contests/{id}": { answer: Done; body: undefined };
  "DELETE /groups/{id}/members/{user}": { answer: Done; body: undefined };
  "DELETE /me/tokens/{id}": { answer: Done; body: undefined };
  "DELETE /posts/{id}": { answer: Done; body: undefined };
  "DELETE /seminars/{id}": { answer: Done; body: undefined };
  "DELETE /teams/{id}/members/{user}": { answer: Done; body: undefined };
  "GET /admin": { answer: SiteOverview; body: undefined };
  "GET /admin/audit": { answer: AuditPage; body: undefined };
  "GET /admin/base-code": { answer: BaseCodeInfo[]; body: undefined };
  "GET /admin/settings": { answer: SiteSettings; body: undefined };
  "GET /admin/similar": { answer: SimilarSubmissions[]; body: undefined };
  "GET /admin/similar/games": { answer: ComparableGame[]; body: undefined };
  "GET /admin/similar/{a}/{b}/code": { answer: ComparedCode; body: undefined };
  "GET /admin/users": { answer: UserPage; body: undefined };
  "GET /assignments": { answer: AssignmentInfo[]; body: undefined };
  "GET /assignments/{id}": { answer: AssignmentDetail; body: undefined };
  "GET /assignments/{id}/marks": { answer: MarkBookInfo; body: undefined };
  "GET /assignments/{id}/people/{user}": { answer: OwnWork; body: undefined };
  "GET /assignments/{id}/submissions/{submission}/bouts": { answer: SubmissionBouts; body: undefined };
  "GET /assignments/{id}/submissions/{submission}/code": { answer: SubmittedCode; body: undefined };
  "GET /bots": { answer: BotPage; body: undefined };
  "GET /bots/free-name": { answer: FreeName; body: undefined };
  "GET /bots/{id}": { answer: BotInfo; body: undefined };
  "GET /bots/{id}/against/{rival}": { answer: MatchupInfo; body: undefined };
  "GET /bots/{id}/bouts": { answer: FoundBouts; body: undefined };
  "GET /bots/{id}/git": { answer: GitInfo; body: undefined };
  "GET /bots/{id}/mistakes": { answer: BotMistakesInfo; body: undefined };
  "GET /bouts": { answer: FoundBouts; body: undefined };
  "GET /bouts/{id}": { answer: BoutInfo; body: undefined };
  "GET /bouts/{id}/posts": { answer: PostPage; body: undefined };
  "GET /challenges": { answer: ChallengePage; body: undefined };
  "GET /challenges/{id}": { answer: ChallengeInfo; body: undefined };
  "GET /contests": { answer: ContestPage; body: undefined };
  "GET /contests/{id}": { answer: ContestInfo; body: undefined };
  "GET /contests/{id}/bouts": { answer: FoundBouts; body: undefined };
  "GET /contests/{id}/class-entries": { answer: ClassEntries; body: undefined };
  "GET /contests/{id}/house-bots": { answer: string[]; body: undefined };
  "GET /contests/{id}/people": { answer: EntrantPeople[]; body: undefined };
  "GET /contests/{id}/posts": { answer: PostPage; body: undefined };
  "GET /contests/{id}/show": { answer: ContestShow; body: undefined };
  "GET /contests/{id}/tables": { answer: ContestTables; body: undefined };
  "GET /contests/{id}/turning-points": { answer: TurningPointsInfo; body: undefined };
  "GET /films/{id}": { answer: FilmInfo; body: undefined };
  "GET /films/{id}/analysis": { answer: AnalysisInfo; body: undefined };
  "GET /films/{id}/gestures": { answer: (CellGesture | DragGesture | KeyGesture | ButtonGesture)[]; body: undefined };
  "GET /films/{id}/notes": { answer: FilmNotes; body: undefined };
  "GET /formats": { answer: FormatForms; body: undefined };
  "GET /games": { answer: GameInfo[]; body: undefined };
  "GET /games/{name}": { answer: GameInfo; body: undefined };
  "GET /games/{name}/guide": { answer: GameGuideInfo; body: undefined };
  "GET /groups": { answer: GroupInfo[]; body: undefined };
  "GET /groups/{id}": { answer: GroupInfo; body: undefined };
  "GET /groups/{id}/posts": { answer: PostPage; body: undefined };
  "GET /info": { answer: ServerInfo; body: undefined };
  "GET /kits/{game}": { answer: StarterKits; body: undefined };
  "GET /ladders": { answer: LadderSummary[]; body: undefined };
  "GET /ladders/{game}": { answer: LadderInfo; body: undefined };
  "GET /ladders/{game}/history": { answer: RatingPoint[]; body: undefined };
  "GET /live": { answer: BoutSummary[]; body: undefined };
  "GET /live/{id}/bout": { answer: BoutInfo; body: undefined };
  "GET /me": { answer: AccountInfo; body: undefined };
  "GET /me/tokens": { answer: TokenInfo[]; body: undefined };
  "GET /notices": { answer: NoticePage; body: undefined };
  "GET /presets": { answer: PresetInfo[]; body: undefined };
  "GET /records": { answer: SummaryPage; body: undefined };
  "GET /rooms": { answer: RoomInfo[]; body: undefined };
  "GET /seminars/{id}": { answer: SeminarInfo; body: undefined };
  "GET /teams": { answer: TeamInfo[]; body: undefined };
  "GET /users/{name}": { answer: UserProfile; body: undefined };
  "GET /versions/{id}": { answer: VersionInfo; body: undefined };
  "GET /versions/{id}/files": { answer: Record<string, string | null>; body: undefined };
  "GET /versions/{id}/progress": { answer: VersionProgress | null; body: undefined };
  "GET /vocabulary": { answer: Vocabulary; body: undefined };
  "PATCH /admin/settings": { answer: SiteSettings; body: Record<string, unknown> };
  "PATCH /assignments/{id}": { answer: AssignmentDetail; body: AssignmentRequest };
  "PATCH /bots/{id}": { answer: BotInfo; body: BotChange };
  "PATCH /bots/{id}/git": { answer: GitInfo; body: GitChange };
  "PATCH /contests/{id}": { answer: ContestInfo; body: ContestRequest };
  "PATCH /groups/{id}": { answer: GroupInfo; body: GroupChange };
  "PATCH /groups/{id}/members/{user}": { answer: Done; body: MemberChange };
  "PATCH /me": { answer: AccountInfo; body: ProfileChange };
  "PATCH /me/mail": { answer: AccountInfo; body: MailChange };
  "PATCH /posts/{id}": { answer: Done; body: PostChange };
  "PATCH /versions/{id}": { answer: VersionInfo; body: VersionChange };
  "POST /activation": { answer: AccountInfo; body: Activation };
  "POST /activation/claim": { answer: Done; body: ActivationCode };
  "POST /activation/look": { answer: ActivationInfo; body: ActivationCode };
  "POST /admin/base-code": { answer: BaseCodeInfo; body: undefined };
  "POST /admin/notices": { answer: AnnouncedTo; body: Announcement };
  "POST /admin/similar/settled": { answer: Done; body: SettledPair };
  "POST /admin/users/{id}": { answer: ChangedUser; body: UserChange };
  "POST /assignments/preview": { answer: RulePreview; body: AssignmentSettings };
  "POST /assignments/{id}/regrade": { answer: MarkBookInfo; body: RegradeRequest };
  "POST /assignments/{id}/submissions": { answer: AssignmentDetail; body: SubmissionRequest };
  "POST /bots": { answer: BotInfo; body: undefined };
  "POST /bots/{id}/git/fetch": { answer: GitInfo; body: undefined };
  "POST /bots/{id}/mistakes": { answer: BotMistakesInfo; body: undefined };
  "POST /bots/{id}/versions": { answer: VersionInfo; body: undefined };
  "POST /bouts/{id}/posts": { answer: PostInfo; body: NewPost };
  "POST /challenges": { answer: ChallengeInfo; body: ChallengeRequest };
  "POST /contests": { answer: ContestInfo; body: ContestRequest };
  "POST /contests/{id}/cancel": { answer: ContestInfo; body: CancelRequest };
  "POST /contests/{id}/class-entries": { answer: ContestInfo; body: ClassEntryRequest };
  "POST /contests/{id}/disqualify": { answer: ContestInfo; body: DisqualifyRequest };
  "POST /contests/{id}/duplicate": { answer: ContestInfo; body: DuplicateRequest };
  "POST /contests/{id}/enter": { answer: ContestInfo; body: EnterRequest };
  "POST /contests/{id}/freeze": { answer: ContestInfo; body: undefined };
  "POST /contests/{id}/leave": { answer: ContestInfo; body: LeaveRequest };
  "POST /contests/{id}/open": { answer: ContestInfo; body: undefined };
  "POST /contests/{id}/posts": { answer: PostInfo; body: NewPost };
  "POST /contests/{id}/publish": { answer: ContestInfo; body: undefined };
  "POST /contests/{id}/rejudge": { answer: ContestInfo; body: RejudgeRequest };
  "POST /contests/{id}/remove": { answer: ContestInfo; body: RemoveRequest };
  "POST /contests/{id}/start": { answer: ContestInfo; body: undefined };
  "POST /contests/{id}/turning-points": { answer: TurningPointsInfo; body: undefined };
  "POST /films/{id}/analysis": { answer: AnalysisInfo; body: undefined };
  "POST /films/{id}/share": { answer: SharedFilm; body: ShareRequest };
  "POST /groups": { answer: GroupInfo; body: NameRequest };
  "POST /groups/join": { answer: GroupInfo; body: JoinRequest };
  "POST /groups/{id}/assignments": { answer: AssignmentDetail; body: AssignmentRequest };
  "POST /groups/{id}/code": { answer: GroupInfo; body: undefined };
  "POST /groups/{id}/codes": { answer: NewAccount[]; body: undefined };
  "POST /groups/{id}/members/{user}/code": { answer: NewAccount; body: undefined };
  "POST /groups/{id}/posts": { answer: PostInfo; body: NewPost };
  "POST /groups/{id}/roster": { answer: RosterReport; body: undefined };
  "POST /groups/{id}/roster/preview": { answer: RosterPreview; body: undefined };
  "POST /login": { answer: AccountInfo; body: Login };
  "POST /logout": { answer: Done; body: undefined };
  "POST /mail/confirm": { answer: Done; body: MailCode };
  "POST /mail/stop": { answer: Done; body: MailCode };
  "POST /matches": { answer: StartedMatch; body: MatchRequest };
  "POST /matches/{id}/stop": { answer: StoppedMatch; body: StopRequest };
  "POST /me/mail": { answer: AccountInfo; body: AddressRequest };
  "POST /me/password": { answer: Done; body: PasswordChange };
  "POST /me/tokens": { answer: TokenInfo; body: NewToken };
  "POST /notices/read": { answer: Done; body: undefined };
  "POST /open": { answer: OpenedFilms; body: undefined };
  "POST /register": { answer: AccountInfo; body: Registration };
  "POST /reset": { answer: PasswordResetDone; body: PasswordReset };
  "POST /rooms": { answer: OpenedRoom; body: RoomRequest };
  "POST /rooms/{id}/name": { answer: SeatName; body: SeatNameRequest };
  "POST /rooms/{id}/sit": { answer: TakenSeat; body: undefined };
  "POST /seminars": { answer: SeminarInfo; body: SeminarRequest };
  "POST /teams": { answer: TeamInfo; body: NameRequest };
  "POST /teams/join": { answer: TeamInfo; body: JoinRequest };
  "POST /tests": { answer: ChallengeInfo; body: BatchTestRequest };
  "POST /webhooks/{id}": { answer: WebhookAnswer; body: undefined };
  "PUT /assignments/{id}/people/{user}": { answer: OwnWork; body: PersonMarksRequest };
  "PUT /assignments/{id}/people/{user}/deadline": { answer: OwnWork; body: ExtensionRequest };
  "PUT /bots/{id}/git/remote": { answer: GitInfo; body: RemoteRequest };
}
