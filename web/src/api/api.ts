/** Every request of the page to the server, by subject. */

import { address, call, upload, type Params } from "./client";
import { asFiles, type ChosenFile } from "../files/chosenFiles";
import type {
  AssignmentRequest,
  AssignmentSettings,
  BotChange,
  ChallengeRequest,
  ClassEntryRequest,
  ContestRequest,
  ExtensionRequest,
  GroupChange,
  GroupRole,
  MadeWith,
  MatchRequest,
  NewToken,
  PersonMarksRequest,
  ProfileChange,
  Registration,
  RejudgeRequest,
  RemoteRequest,
  RoomRequest,
  SeatNameRequest,
  StarterKit,
  UserChange,
} from "./generated";

/** A part of a long list; `next` asks for the following one. */
export interface Page<T> {
  items: T[];
  next: string | number | null;
}

type Cursor = string | number | null;

/** The keys of the matches that were started in this tab: who has one may stop the match. */
export const matchKeys = new Map<string, string>();

export const server = {
  info: () => call("GET /info"),
  games: () => call("GET /games"),
  game: (name: string) => call("GET /games/{name}", { name }),
  guide: (name: string) => call("GET /games/{name}/guide", { name }),
};

/** Bouts to look at: live, recorded or opened from files. */
export const films = {
  live: () => call("GET /live"),
  one: (id: string, seat: number | null = null) => call("GET /films/{id}", { id, seat }),
  /** Saved on this machine, as files. */
  records: (query: Params) => call("GET /records", query),
  /** Played on this server. */
  find: (query: Params) => call("GET /bouts", query),
  notes: (id: string) => call("GET /films/{id}/notes", { id }),
  /** What is known about the moves of a bout; with `after`, once more than that is known. */
  analysis: (id: string, after: number | null = null) =>
    call("GET /films/{id}/analysis", { id, after }),
  /** Has the moves of a bout judged in the background. */
  analyse: (id: string) => call("POST /films/{id}/analysis", { id }),
  /** Saves this bout of a demo; others can watch it under the id that comes back. */
  share: (demo: string, number: number) => call("POST /films/{id}/share", { id: demo }, { number }),
  gestures: (id: string, step: number, seat: number) =>
    call("GET /films/{id}/gestures", { id, step, seat }),
  open: (files: { file: File; name: string }[]) => upload("POST /open", {}, files),
  rawUrl: (id: string) => address("/films/{id}/raw", { id }),
  htmlUrl: (id: string) => address("/films/{id}/html", { id }),
};

/** Bouts that the staff of a class replays for others, without names. */
export const seminars = {
  open: (film: string) => call("POST /seminars", {}, { film }),
  one: (code: string) => call("GET /seminars/{id}", { id: code }),
  close: (code: string) => call("DELETE /seminars/{id}", { id: code }),
};

export const matches = {
  start: (body: MatchRequest) => call("POST /matches", {}, body),
  stop: (id: string, key: string) => call("POST /matches/{id}/stop", { id }, { key }),
};

/** Assignments of classes, and what is handed in for them. */
export const assignments = {
  list: (group: number | null = null) => call("GET /assignments", { group }),
  one: (id: number) => call("GET /assignments/{id}", { id }),
  create: (group: number, body: AssignmentRequest) =>
    call("POST /groups/{id}/assignments", { id: group }, body),
  change: (id: number, body: AssignmentRequest) => call("PATCH /assignments/{id}", { id }, body),
  remove: (id: number) => call("DELETE /assignments/{id}", { id }),
  preview: (body: AssignmentSettings) => call("POST /assignments/preview", {}, body),
  submit: (id: number, version: number) =>
    call("POST /assignments/{id}/submissions", { id }, { version }),
  bouts: (id: number, submission: number, level: number | null) =>
    call("GET /assignments/{id}/submissions/{submission}/bouts", { id, submission, level }),
  code: (id: number, submission: number) =>
    call("GET /assignments/{id}/submissions/{submission}/code", { id, submission }),
  marks: (id: number) => call("GET /assignments/{id}/marks", { id }),
  regrade: (id: number, again: boolean) =>
    call("POST /assignments/{id}/regrade", { id }, { again }),
  person: (id: number, user: number) => call("GET /assignments/{id}/people/{user}", { id, user }),
  setDeadline: (id: number, user: number, body: ExtensionRequest) =>
    call("PUT /assignments/{id}/people/{user}/deadline", { id, user }, body),
  setMarks: (id: number, user: number, body: PersonMarksRequest) =>
    call("PUT /assignments/{id}/people/{user}", { id, user }, body),
};

export const accounts = {
  me: () => call("GET /me"),
  register: (body: Registration) => call("POST /register", {}, body),
  login: (name: string, password: string) => call("POST /login", {}, { name, password }),
  logout: () => call("POST /logout"),
  updateProfile: (body: ProfileChange) => call("PATCH /me", {}, body),
  changePassword: (old: string, fresh: string) =>
    call("POST /me/password", {}, { old, new: fresh }),
  resetPassword: (code: string, fresh: string) => call("POST /reset", {}, { code, new: fresh }),
  verifyEmail: (email: string, language: "en" | "zh") =>
    call("POST /me/mail", {}, { email, language }),
  mailNotices: (notices: boolean) => call("PATCH /me/mail", {}, { notices }),
  confirmEmail: (code: string) => call("POST /mail/confirm", {}, { code }),
  stopMail: (code: string) => call("POST /mail/stop", {}, { code }),
  tokens: () => call("GET /me/tokens"),
  createToken: (body: NewToken) => call("POST /me/tokens", {}, body),
  revokeToken: (id: number) => call("DELETE /me/tokens/{id}", { id }),
  user: (name: string) => call("GET /users/{name}", { name }),
  notices: (before?: Cursor) => call("GET /notices", { before }),
  readNotices: () => call("POST /notices/read"),
  teams: () => call("GET /teams"),
  createTeam: (name: string) => call("POST /teams", {}, { name }),
  joinTeam: (code: string) => call("POST /teams/join", {}, { code }),
  leaveTeam: (id: number, user: number) => call("DELETE /teams/{id}/members/{user}", { id, user }),
  groups: () => call("GET /groups"),
  createGroup: (name: string) => call("POST /groups", {}, { name }),
  joinGroup: (code: string) => call("POST /groups/join", {}, { code }),
  group: (id: number) => call("GET /groups/{id}", { id }),
  leaveGroup: (id: number, user: number) =>
    call("DELETE /groups/{id}/members/{user}", { id, user }),
  archivedGroups: () => call("GET /groups", { archived: 1 }),
  changeGroup: (id: number, body: GroupChange) => call("PATCH /groups/{id}", { id }, body),
  changeRole: (id: number, user: number, role: GroupRole) =>
    call("PATCH /groups/{id}/members/{user}", { id, user }, { role }),
  renewCode: (id: number) => call("POST /groups/{id}/code", { id }),
  importRoster: (id: number, file: File) =>
    upload("POST /groups/{id}/roster", { id }, [{ file, name: file.name }]),
  /** What an import would do; nothing is written. */
  previewRoster: (id: number, file: File) =>
    upload("POST /groups/{id}/roster/preview", { id }, [{ file, name: file.name }]),
  /** New login links for all who have not chosen a password. */
  reissueCodes: (id: number) => call("POST /groups/{id}/codes", { id }),
  /** A new login link for one of them. */
  reissueCode: (id: number, user: number) =>
    call("POST /groups/{id}/members/{user}/code", { id, user }),
  lookUpActivation: (code: string) => call("POST /activation/look", {}, { code }),
  activate: (code: string, name: string, password: string) =>
    call("POST /activation", {}, { code, name, password }),
  /** Joins the class of a login link with the account that one has. */
  claimPlace: (code: string) => call("POST /activation/claim", {}, { code }),
};

export const bots = {
  /** The newest bots; `page` reads them all. */
  list: async (query: { game?: string; owner?: string; mine?: 1 }) =>
    (await call("GET /bots", { ...query, limit: 100 })).items,
  page: (query: { game?: string; owner?: string; mine?: 1 }, before?: Cursor) =>
    call("GET /bots", { ...query, before }),
  one: (id: number) => call("GET /bots/{id}", { id }),
  create: (
    fields: {
      game: string;
      name: string;
      about?: string;
      team?: number | null;
      remark?: string;
      private?: 1 | null;
    },
    files: ChosenFile[],
  ) => upload("POST /bots", {}, files, fields),
  addVersion: (id: number, files: ChosenFile[], remark: string) =>
    upload("POST /bots/{id}/versions", { id }, files, { remark }),
  writeVersion: (id: number, texts: Record<string, string>, remark: string) =>
    bots.addVersion(id, asFiles(texts), remark),
  change: (id: number, body: BotChange) => call("PATCH /bots/{id}", { id }, body),
  retire: (id: number) => call("DELETE /bots/{id}", { id }),
  version: (id: number) => call("GET /versions/{id}", { id }),
  sayHowMade: (id: number, made_with: MadeWith) =>
    call("PATCH /versions/{id}", { id }, { made_with }),
  freeName: (game: string, name: string) =>
    call("GET /bots/free-name", { game, name }).then((found) => found.name),
  progress: (id: number) => call("GET /versions/{id}/progress", { id }),
  files: (id: number) => call("GET /versions/{id}/files", { id }),
  zipUrl: (id: number) => address("/versions/{id}/zip", { id }),
  bouts: (id: number, before?: Cursor, query: Params = {}) =>
    call("GET /bots/{id}/bouts", { ...query, id, before }),
  bout: (id: number) => call("GET /bouts/{id}", { id }),
  /** Where your bot loses most. */
  mistakes: (id: number) => call("GET /bots/{id}/mistakes", { id }),
  findMistakes: (id: number) => call("POST /bots/{id}/mistakes", { id }),
  positionsUrl: (id: number) => address("/bots/{id}/mistakes/positions", { id }),
  git: (id: number) => call("GET /bots/{id}/git", { id }),
  changeGit: (id: number, change: { ladder: boolean }) =>
    call("PATCH /bots/{id}/git", { id }, change),
  /** The answer holds the secret of the webhook, this once. */
  tieRemote: (id: number, remote: RemoteRequest) =>
    call("PUT /bots/{id}/git/remote", { id }, remote),
  untieRemote: (id: number) => call("DELETE /bots/{id}/git/remote", { id }),
  fetchRemote: (id: number) => call("POST /bots/{id}/git/fetch", { id }),
  /** Head to head with another bot (its id) or a house bot (its name). */
  matchup: (id: number, rival: string) => call("GET /bots/{id}/against/{rival}", { id, rival }),
  /** What a bout under way has become, once it is over and stored. */
  storedBout: (id: string) => call("GET /live/{id}/bout", { id }),
  /** Starter files whose comments are in a language. */
  kits: async (game: string, language: "en" | "zh") =>
    (await call("GET /kits/{game}", { game, language })).languages,
  /** A starter as a folder in a zip. */
  kitFolderUrl: (game: string, { name, dialect }: StarterKit, language: "en" | "zh") =>
    address("/kits/{game}/folder", { game, name, dialect, language }),
};

export const challenges = {
  create: (body: ChallengeRequest) => call("POST /challenges", {}, body),
  createTest: (version: number, against: (number | string)[], bouts: number) =>
    call("POST /tests", {}, { version, against, bouts }),
  one: (id: number) => call("GET /challenges/{id}", { id }),
  mine: (before?: Cursor) => call("GET /challenges", { mine: 1, before }),
  stop: (id: number) => call("DELETE /challenges/{id}", { id }),
};

export const ladders = {
  list: () => call("GET /ladders"),
  one: (game: string) => call("GET /ladders/{game}", { game }),
  history: (game: string, bot: number) => call("GET /ladders/{game}/history", { game, bot }),
};

export const contests = {
  list: (before?: Cursor) => call("GET /contests", { before }),
  ofGroup: (group: number, before?: Cursor) => call("GET /contests", { group, before }),
  one: (id: number) => call("GET /contests/{id}", { id }),
  create: (body: ContestRequest) => call("POST /contests", {}, body),
  change: (id: number, body: ContestRequest) => call("PATCH /contests/{id}", { id }, body),
  leave: (id: number) => call("POST /contests/{id}/leave", { id }, {}),
  start: (id: number) => call("POST /contests/{id}/start", { id }),
  /** Which bots of a class would enter now, and who has none. */
  planClass: (id: number, group: number, which: "current" | "ladder", section: string) =>
    call("GET /contests/{id}/class-entries", { id, group, which, section }),
  enterClass: (id: number, body: ClassEntryRequest) =>
    call("POST /contests/{id}/class-entries", { id }, body),
  /** The people behind the entrants, for the staff of the class. */
  people: (id: number) => call("GET /contests/{id}/people", { id }),
  duplicate: (id: number) => call("POST /contests/{id}/duplicate", { id }, {}),
  cancel: (id: number) => call("POST /contests/{id}/cancel", { id }, {}),
  remove: (id: number) => call("DELETE /contests/{id}", { id }),
  classResultsUrl: (id: number, kind: "csv" | "xlsx", lang: string) =>
    address("/contests/{id}/class/results.{kind}", { id, kind, lang }),
  open: (id: number) => call("POST /contests/{id}/open", { id }),
  freeze: (id: number) => call("POST /contests/{id}/freeze", { id }),
  publish: (id: number) => call("POST /contests/{id}/publish", { id }),
  /** The built-in bots that can play with the options of the contest. */
  houseBots: (id: number) => call("GET /contests/{id}/house-bots", { id }),
  enter: (id: number, bot: number | string) => call("POST /contests/{id}/enter", { id }, { bot }),
  /** An entrant is named here; elsewhere it has a number. */
  rejudge: (id: number, body: RejudgeRequest) => call("POST /contests/{id}/rejudge", { id }, body),
  /** Only before the start. */
  removeEntrant: (id: number, entrant: number) =>
    call("POST /contests/{id}/remove", { id }, { entrant }),
  disqualify: (id: number, entrant: number, why: string) =>
    call("POST /contests/{id}/disqualify", { id }, { entrant, why }),
  /** The tables now, or as they were after a bout. */
  tables: (id: number, through: number | null = null) =>
    call("GET /contests/{id}/tables", { id, through }),
  /** The bouts that ended after another, oldest first. */
  show: (id: number, after: number) => call("GET /contests/{id}/show", { id, after }),
  bouts: (id: number, before?: Cursor, query: Params = {}) =>
    call("GET /contests/{id}/bouts", { ...query, id, before, limit: 50 }),
  turningPoints: (id: number) => call("GET /contests/{id}/turning-points", { id }),
  findTurningPoints: (id: number) => call("POST /contests/{id}/turning-points", { id }),
  reportUrl: (id: number, kind: "html" | "csv" | "json" | "md", query: Params) =>
    address("/contests/{id}/report.{kind}", { ...query, id, kind }),
  formats: () => call("GET /formats"),
  presets: () => call("GET /presets"),
};

/** What posts belong to: comments to bouts, announcements to contests and classes. */
export type PostPlace = "bouts" | "contests" | "groups";

export const posts = {
  list: (place: PostPlace, id: number, before?: Cursor) =>
    call(`GET /${place}/{id}/posts`, { id, before }),
  add: (place: PostPlace, id: number, text: string) =>
    call(`POST /${place}/{id}/posts`, { id }, { text }),
  hide: (id: number, hidden: boolean) => call("PATCH /posts/{id}", { id }, { hidden }),
  remove: (id: number) => call("DELETE /posts/{id}", { id }),
};

export const rooms = {
  create: (body: RoomRequest) => call("POST /rooms", {}, body),
  list: () => call("GET /rooms"),
  sit: (id: string) => call("POST /rooms/{id}/sit", { id }),
  /** Names the person on the seat of the token. */
  name: (id: string, body: SeatNameRequest) => call("POST /rooms/{id}/name", { id }, body),
};

export const admin = {
  overview: () => call("GET /admin"),
  audit: (before?: Cursor) => call("GET /admin/audit", { before }),
  /** The games with most bots to compare first. */
  comparableGames: () => call("GET /admin/similar/games"),
  similar: (game: string) => call("GET /admin/similar", { game }),
  settle: (a: number, b: number, reason: string) =>
    call("POST /admin/similar/settled", {}, { a, b, reason }),
  compareCode: (a: number, b: number) => call("GET /admin/similar/{a}/{b}/code", { a, b }),
  reopen: (a: number, b: number) => call("DELETE /admin/similar/settled/{a}/{b}", { a, b }),
  baseCode: (game: string) => call("GET /admin/base-code", { game }),
  addBaseCode: (game: string, title: string, group: number | null, files: ChosenFile[]) =>
    upload("POST /admin/base-code", {}, files, { game, title, group }),
  deleteBaseCode: (id: number) => call("DELETE /admin/base-code/{id}", { id }),
  settings: () => call("GET /admin/settings"),
  updateSettings: (body: Record<string, unknown>) => call("PATCH /admin/settings", {}, body),
  users: (search: string, before?: Cursor) =>
    call("GET /admin/users", { search, before, limit: 100 }),
  updateUser: (id: number, body: UserChange) => call("POST /admin/users/{id}", { id }, body),
  exportUrl: address("/admin/export"),
  announce: (text: string, to: "all" | number) => call("POST /admin/notices", {}, { text, to }),
};
