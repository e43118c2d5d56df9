/** Every request of the page to the server, by subject. */

import { ask, patch, post, remove, upload } from "./client";
import type { Chosen } from "../files/chosenFiles";
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
  const answer = await ask<T[] | Page<T>>(path);
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

export type SeatWish =
  | { kind: "human"; name?: string }
  | { kind: "bot"; bot: string | number }
  | { kind: "open" }
  | { kind: "remote" };

export interface RoomWish {
  game: string;
  options: Record<string, unknown>;
  seats: SeatWish[];
  clock: Record<string, unknown> | null;
  practice: boolean;
  title?: string;
  seed?: number;
  from?: { film: string; step: number };
}

export interface RoomMade {
  room: string;
  seats: { seat: number; kind: string; token?: string; link?: string }[];
}

/** The keys of the matches that were started in this tab: who has one may stop the match. */
export const matchKeys = new Map<string, string>();

export const server = {
  info: () => ask<Info>("/info"),
  games: () => ask<t.GameInfo[]>("/games"),
};

/** Bouts to look at: live, recorded or opened from files. */
export const films = {
  live: () => ask<t.Summary[]>("/live"),
  one: (id: string, seat: number | null = null) =>
    ask<t.Film>(`/films/${encodeURIComponent(id)}${seat === null ? "" : `?seat=${seat}`}`),
  records: (query: Record<string, string>) =>
    ask<{ items: t.Summary[]; next: string | null }>(`/records?${new URLSearchParams(query)}`),
  gestures: (id: string, step: number, seat: number) =>
    ask<t.Gesture[]>(`/films/${encodeURIComponent(id)}/gestures?step=${step}&seat=${seat}`),
  open: (files: { file: File; name: string }[]) => upload<{ films: t.Summary[] }>("/open", files),
  rawUrl: (id: string) => `/api/films/${encodeURIComponent(id)}/raw`,
  htmlUrl: (id: string) => `/api/films/${encodeURIComponent(id)}/html`,
};

export const matches = {
  start: (wish: { game: string; options: object; bots: string[]; bouts: number; delay: number }) =>
    post<{ match: string; films: string[]; key: string }>("/matches", wish),
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

export const people = {
  me: () => ask<t.Me>("/me"),
  register: (wish: NewAccount) => post("/register", wish),
  login: (name: string, password: string) => post("/login", { name, password }),
  logout: () => post("/logout"),
  change: (wish: { shown?: string; email?: string; language?: string }) => patch("/me", wish),
  password: (old: string, fresh: string) => post("/me/password", { old, new: fresh }),
  reset: (code: string, fresh: string) => post("/reset", { code, new: fresh }),
  tokens: () => list<t.ApiToken>("/me/tokens"),
  newToken: (wish: { label: string; scopes: t.TokenScope[]; days: number | null }) =>
    post<t.ApiToken>("/me/tokens", wish),
  dropToken: (id: number) => remove(`/me/tokens/${id}`),
  user: (name: string) =>
    ask<{
      user: t.User;
      bots: t.Bot[];
      bouts: t.BoutRow[];
      storage?: { used: number; most: number };
    }>(`/users/${encodeURIComponent(name)}`),
  notices: () => page<t.Notice>("/notices"),
  readNotices: () => post("/notices/read"),
  teams: () => list<t.Team>("/teams"),
  newTeam: (name: string) => post<t.Team>("/teams", { name }),
  joinTeam: (code: string) => post<t.Team>("/teams/join", { code }),
  leaveTeam: (team: number, user: number) => remove(`/teams/${team}/members/${user}`),
  groups: () => list<t.Group>("/groups"),
  newGroup: (name: string) => post<t.Group>("/groups", { name }),
  joinGroup: (code: string) => post<t.Group>("/groups/join", { code }),
  group: (id: number) => ask<t.Group>(`/groups/${id}`),
  leaveGroup: (group: number, user: number) => remove(`/groups/${group}/members/${user}`),
  renewCode: (group: number) => post<t.Group>(`/groups/${group}/code`, {}),
  roster: (group: number, file: File) =>
    upload<t.RosterAnswer>(`/groups/${group}/roster`, [{ file, name: file.name }], {}, "file"),
};

export const bots = {
  list: (wish: { game?: string; owner?: string; mine?: 1 }) => list<t.Bot>(`/bots${query(wish)}`),
  one: (id: number) => ask<t.Bot>(`/bots/${id}`),
  create: (
    wish: { game: string; name: string; about?: string; team?: number | null; remark?: string },
    files: Chosen[],
  ) => upload<t.Bot>("/bots", files, wish),
  addVersion: (id: number, files: Chosen[], remark: string) =>
    upload<t.Version>(`/bots/${id}/versions`, files, { remark }),
  writeVersion: (id: number, files: Record<string, string>, remark: string) =>
    post<t.Version>(`/bots/${id}/versions`, { files, remark }),
  change: (id: number, wish: { name?: string; about?: string; current?: number | null }) =>
    patch<t.Bot>(`/bots/${id}`, wish),
  retire: (id: number) => remove(`/bots/${id}`),
  version: (id: number) => ask<t.Version>(`/versions/${id}`),
  files: (version: number) => ask<Record<string, string | null>>(`/versions/${version}/files`),
  zipUrl: (version: number) => `/api/versions/${version}/zip`,
  bouts: (id: number, before?: string | number | null) =>
    page<t.BoutRow>(`/bots/${id}/bouts${query({ before })}`),
  bout: (id: number) => ask<t.BoutRow>(`/bouts/${id}`),
  /** What a bout under way has become, once it is over and stored. */
  became: (live: string) => ask<t.BoutRow>(`/live/${encodeURIComponent(live)}/bout`),
  kits: async (game: string) =>
    (await ask<{ languages: t.KitLanguage[] }>(`/kits/${game}`)).languages,
};

export interface ChallengeWish {
  game: string;
  bots: (number | string)[];
  bouts: number;
  clock?: Record<string, unknown> | null;
  seed?: number;
}

export const trials = {
  challenge: (wish: ChallengeWish) => post<t.Trial>("/challenges", wish),
  test: (version: number, against: (number | string)[], bouts: number) =>
    post<t.Trial>("/tests", { version, against, bouts }),
  one: (id: number) => ask<t.Trial>(`/challenges/${id}`),
  mine: () => page<t.Trial>("/challenges?mine=1"),
  stop: (id: number) => remove(`/challenges/${id}`),
};

export const ladders = {
  list: () => list<t.LadderSummary>("/ladders"),
  one: (game: string) => ask<t.Ladder>(`/ladders/${game}`),
  history: (game: string, bot: number) =>
    list<t.RatingPoint>(`/ladders/${game}/history?bot=${bot}`),
};

export type ContestWish = Partial<
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
  one: (id: number) => ask<t.Contest>(`/contests/${id}`),
  create: (wish: ContestWish) => post<t.Contest>("/contests", wish),
  change: (id: number, wish: ContestWish) => patch<t.Contest>(`/contests/${id}`, wish),
  act: (id: number, act: "leave" | "start" | "freeze" | "publish") =>
    post(`/contests/${id}/${act}`),
  enter: (id: number, bot: number | string) => post(`/contests/${id}/enter`, { bot }),
  /** An entrant is named here; elsewhere it has a number. */
  rejudge: (id: number, what: { bout?: number; match?: string; entrant?: string; why: string }) =>
    post(`/contests/${id}/rejudge`, what),
  disqualify: (id: number, entrant: number, why: string) =>
    post(`/contests/${id}/disqualify`, { entrant, why }),
  tables: (id: number) => ask<t.ContestTables>(`/contests/${id}/tables`),
  bouts: (id: number, before?: string | number | null) =>
    page<t.BoutRow>(`/contests/${id}/bouts${query({ before, limit: 50 })}`),
  reportUrl: (id: number, kind: "html" | "csv" | "json" | "md") =>
    `/api/contests/${id}/report.${kind}`,
  formats: () => ask<t.Formats>("/formats"),
  presets: () => list<t.Preset>("/presets"),
};

export const rooms = {
  create: (wish: RoomWish) => post<RoomMade>("/rooms", wish),
  list: () => list<t.RoomRow>("/rooms"),
  sit: (id: string) => post<{ seat: number; token: string }>(`/rooms/${id}/sit`),
};

export const desk = {
  now: () => ask<t.Desk>("/desk"),
  audit: (before?: string | number | null) => page<t.AuditRow>(`/desk/audit${query({ before })}`),
  similar: (game: string) => list<t.Similar>(`/desk/similar${query({ game })}`),
  settings: () => ask<Record<string, unknown>>("/desk/settings"),
  set: (wish: Record<string, unknown>) => patch("/desk/settings", wish),
  users: (search: string) => list<t.User>(`/desk/users${query({ search, limit: 100 })}`),
  user: (id: number, wish: { role?: t.Role; active?: boolean; reset?: true }) =>
    post<{ code?: string }>(`/desk/users/${id}`, wish),
  exportUrl: "/api/desk/export",
  tell: (text: string, to: "all" | number) => post("/desk/notices", { text, to }),
};
