/** Every request of the page to the server, by subject. */

import { request, patch, post, remove, upload } from "./client";
import type { ChosenFile } from "../files/chosenFiles";
import type * as t from "./types";

/** Lists come whole or page by page. */
export interface Page<T> {
  items: T[];
  next: string | number | null;
}

async function list<T>(path: string): Promise<T[]> {
  return (await page<T>(path)).items;
}

export async function page<T>(path: string): Promise<Page<T>> {
  const answer = await request<T[] | Page<T>>(path);
  return Array.isArray(answer) ? { items: answer, next: null } : answer;
}

function query(given: Record<string, unknown>): string {
  const pairs = Object.entries(given).filter(([, value]) => value !== "" && value != null);
  return pairs.length
    ? `?${new URLSearchParams(pairs.map(([key, value]) => [key, String(value)]))}`
    : "";
}

export interface Info {
  version: string;
  demo: boolean;
  loopback: boolean;
}

export type SeatRequest =
  | { kind: "human"; name?: string }
  | { kind: "bot"; bot: string | number }
  | { kind: "open" }
  | { kind: "remote" };

export interface RoomRequest {
  game: string;
  options: Record<string, unknown>;
  seats: SeatRequest[];
  clock: Record<string, unknown> | null;
  practice: boolean;
  title?: string;
  seed?: number;
  from?: { film: string; step: number };
}

export interface CreatedRoom {
  room: string;
  seats: { seat: number; kind: string; token?: string; link?: string }[];
}

/** The keys of the matches that were started in this tab: who has one may stop the match. */
export const matchKeys = new Map<string, string>();

export const server = {
  info: () => request<Info>("/info"),
  games: () => request<t.GameInfo[]>("/games"),
};

/** Bouts to look at: live, recorded or opened from files. */
export const films = {
  live: () => request<t.Summary[]>("/live"),
  one: (id: string, seat: number | null = null) =>
    request<t.Film>(`/films/${encodeURIComponent(id)}${seat === null ? "" : `?seat=${seat}`}`),
  records: (query: Record<string, string>) =>
    request<{ items: t.Summary[]; next: string | null }>(`/records?${new URLSearchParams(query)}`),
  gestures: (id: string, step: number, seat: number) =>
    request<t.Gesture[]>(`/films/${encodeURIComponent(id)}/gestures?step=${step}&seat=${seat}`),
  open: (files: { file: File; name: string }[]) => upload<{ films: t.Summary[] }>("/open", files),
  rawUrl: (id: string) => `/api/films/${encodeURIComponent(id)}/raw`,
  htmlUrl: (id: string) => `/api/films/${encodeURIComponent(id)}/html`,
};

export const matches = {
  start: (body: { game: string; options: object; bots: string[]; bouts: number; delay: number }) =>
    post<{ match: string; films: string[]; key: string }>("/matches", body),
  stop: (match: string, key: string) => post(`/matches/${encodeURIComponent(match)}/stop`, { key }),
};

export interface NewAccount {
  name: string;
  password: string;
  shown?: string;
  email?: string;
  code?: string;
  invitation?: string;
}

export const accounts = {
  me: () => request<t.Me>("/me"),
  register: (body: NewAccount) => post("/register", body),
  login: (name: string, password: string) => post("/login", { name, password }),
  logout: () => post("/logout"),
  updateProfile: (body: { shown?: string; email?: string; language?: string }) =>
    patch("/me", body),
  changePassword: (old: string, fresh: string) => post("/me/password", { old, new: fresh }),
  resetPassword: (code: string, fresh: string) => post("/reset", { code, new: fresh }),
  tokens: () => list<t.ApiToken>("/me/tokens"),
  createToken: (body: { label: string; scopes: t.TokenScope[]; days: number | null }) =>
    post<t.ApiToken>("/me/tokens", body),
  revokeToken: (id: number) => remove(`/me/tokens/${id}`),
  user: (name: string) =>
    request<{
      user: t.User;
      bots: t.Bot[];
      bouts: t.BoutRow[];
      storage?: { used: number; most: number };
    }>(`/users/${encodeURIComponent(name)}`),
  notices: () => page<t.Notice>("/notices"),
  readNotices: () => post("/notices/read"),
  teams: () => list<t.Team>("/teams"),
  createTeam: (name: string) => post<t.Team>("/teams", { name }),
  joinTeam: (code: string) => post<t.Team>("/teams/join", { code }),
  leaveTeam: (team: number, user: number) => remove(`/teams/${team}/members/${user}`),
  groups: () => list<t.Group>("/groups"),
  createGroup: (name: string) => post<t.Group>("/groups", { name }),
  joinGroup: (code: string) => post<t.Group>("/groups/join", { code }),
  group: (id: number) => request<t.Group>(`/groups/${id}`),
  leaveGroup: (group: number, user: number) => remove(`/groups/${group}/members/${user}`),
  renewCode: (group: number) => post<t.Group>(`/groups/${group}/code`, {}),
  importRoster: (group: number, file: File) =>
    upload<t.RosterResult>(`/groups/${group}/roster`, [{ file, name: file.name }], {}, "file"),
};

export const bots = {
  list: (body: { game?: string; owner?: string; mine?: 1 }) => list<t.Bot>(`/bots${query(body)}`),
  one: (id: number) => request<t.Bot>(`/bots/${id}`),
  create: (
    body: { game: string; name: string; about?: string; team?: number | null; remark?: string },
    files: ChosenFile[],
  ) => upload<t.Bot>("/bots", files, body),
  addVersion: (id: number, files: ChosenFile[], remark: string) =>
    upload<t.Version>(`/bots/${id}/versions`, files, { remark }),
  writeVersion: (id: number, files: Record<string, string>, remark: string) =>
    post<t.Version>(`/bots/${id}/versions`, { files, remark }),
  change: (id: number, body: { name?: string; about?: string; current?: number | null }) =>
    patch<t.Bot>(`/bots/${id}`, body),
  retire: (id: number) => remove(`/bots/${id}`),
  version: (id: number) => request<t.Version>(`/versions/${id}`),
  files: (version: number) => request<Record<string, string | null>>(`/versions/${version}/files`),
  zipUrl: (version: number) => `/api/versions/${version}/zip`,
  bouts: (id: number, before?: string | number | null) =>
    page<t.BoutRow>(`/bots/${id}/bouts${query({ before })}`),
  bout: (id: number) => request<t.BoutRow>(`/bouts/${id}`),
  /** What a bout under way has become, once it is over and stored. */
  storedBout: (live: string) => request<t.BoutRow>(`/live/${encodeURIComponent(live)}/bout`),
  kits: async (game: string) =>
    (await request<{ languages: t.KitLanguage[] }>(`/kits/${game}`)).languages,
};

export interface ChallengeRequest {
  game: string;
  bots: (number | string)[];
  bouts: number;
  clock?: Record<string, unknown> | null;
  seed?: number;
}

export const challenges = {
  create: (body: ChallengeRequest) => post<t.Challenge>("/challenges", body),
  createTest: (version: number, against: (number | string)[], bouts: number) =>
    post<t.Challenge>("/tests", { version, against, bouts }),
  one: (id: number) => request<t.Challenge>(`/challenges/${id}`),
  mine: () => page<t.Challenge>("/challenges?mine=1"),
  stop: (id: number) => remove(`/challenges/${id}`),
};

export const ladders = {
  list: () => list<t.LadderSummary>("/ladders"),
  one: (game: string) => request<t.Ladder>(`/ladders/${game}`),
  history: (game: string, bot: number) =>
    list<t.RatingPoint>(`/ladders/${game}/history?bot=${bot}`),
};

export type ContestRequest = Partial<
  Pick<
    t.Contest,
    | "title"
    | "game"
    | "options"
    | "clock"
    | "format"
    | "format_settings"
    | "match"
    | "group"
    | "opens"
    | "closes"
    | "starts"
    | "publishes"
    | "hidden_until_published"
    | "delay"
    | "imports"
    | "preset"
    | "about"
  >
>;

export const contests = {
  list: () => list<t.Contest>("/contests"),
  one: (id: number) => request<t.Contest>(`/contests/${id}`),
  create: (body: ContestRequest) => post<t.Contest>("/contests", body),
  change: (id: number, body: ContestRequest) => patch<t.Contest>(`/contests/${id}`, body),
  act: (id: number, act: "leave" | "start" | "freeze" | "publish") =>
    post(`/contests/${id}/${act}`),
  enter: (id: number, bot: number | string) => post(`/contests/${id}/enter`, { bot }),
  /** An entrant is named here; elsewhere it has a number. */
  rejudge: (id: number, what: { bout?: number; match?: string; entrant?: string; why: string }) =>
    post(`/contests/${id}/rejudge`, what),
  disqualify: (id: number, entrant: number, why: string) =>
    post(`/contests/${id}/disqualify`, { entrant, why }),
  tables: (id: number) => request<t.ContestTables>(`/contests/${id}/tables`),
  bouts: (id: number, before?: string | number | null) =>
    page<t.BoutRow>(`/contests/${id}/bouts${query({ before, limit: 50 })}`),
  reportUrl: (id: number, kind: "html" | "csv" | "json" | "md") =>
    `/api/contests/${id}/report.${kind}`,
  formats: () => request<t.Formats>("/formats"),
  presets: () => list<t.Preset>("/presets"),
};

export const rooms = {
  create: (body: RoomRequest) => post<CreatedRoom>("/rooms", body),
  list: () => list<t.RoomRow>("/rooms"),
  sit: (id: string) => post<{ seat: number; token: string }>(`/rooms/${id}/sit`),
};

export const admin = {
  overview: () => request<t.AdminOverview>("/desk"),
  audit: (before?: string | number | null) => page<t.AuditRow>(`/desk/audit${query({ before })}`),
  similar: (game: string) => list<t.SimilarPair>(`/desk/similar${query({ game })}`),
  settings: () => request<Record<string, unknown>>("/desk/settings"),
  updateSettings: (body: Record<string, unknown>) => patch("/desk/settings", body),
  users: (search: string) => list<t.User>(`/desk/users${query({ search, limit: 100 })}`),
  updateUser: (id: number, body: { role?: t.Role; active?: boolean; reset?: true }) =>
    post<{ code?: string }>(`/desk/users/${id}`, body),
  exportUrl: "/api/desk/export",
  announce: (text: string, to: "all" | number) => post("/desk/notices", { text, to }),
};
