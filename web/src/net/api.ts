/** Bouts, games and rooms: what the server offers without an account. */

import type { Film, GameInfo, Gesture, Summary } from "../film/types";
import { ask, post, upload } from "./ask";

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

export const api = {
  info: () => ask<Info>("/info"),
  games: () => ask<GameInfo[]>("/games"),
  live: () => ask<Summary[]>("/live"),
  film: (id: string, seat: number | null = null) =>
    ask<Film>(`/films/${encodeURIComponent(id)}${seat === null ? "" : `?seat=${seat}`}`),
  records: (query: Record<string, string>) =>
    ask<{ items: Summary[]; next: string | null }>(`/records?${new URLSearchParams(query)}`),
  gestures: (id: string, step: number, seat: number) =>
    ask<Gesture[]>(`/films/${encodeURIComponent(id)}/gestures?step=${step}&seat=${seat}`),
  room: (wish: RoomWish) => post<RoomMade>("/rooms", wish),
  match: (wish: { game: string; options: object; bots: string[]; bouts: number; delay: number }) =>
    post<{ match: string; films: string[]; key: string }>("/matches", wish),
  stopMatch: (match: string, key: string) =>
    post(`/matches/${encodeURIComponent(match)}/stop`, { key }),
  open: (files: { file: File; name: string }[]) => upload<{ films: Summary[] }>("/open", files),
  rawUrl: (id: string) => `/api/films/${encodeURIComponent(id)}/raw`,
  htmlUrl: (id: string) => `/api/films/${encodeURIComponent(id)}/html`,
};
