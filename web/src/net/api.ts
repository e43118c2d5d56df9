/** The server's JSON API. */

import type { Film, GameInfo, Gesture, Summary, Text } from "../film/types";

/** What the server said was wrong, in both languages. */
export class Refusal extends Error {
  constructor(
    readonly text: Text,
    readonly status: number,
  ) {
    super(text.en);
  }
}

export interface Info {
  version: string;
  demo: boolean;
  loopback: boolean;
}

export type SeatWish = { kind: "human"; name?: string } | { kind: "bot"; bot: string };

export interface RoomWish {
  game: string;
  options: Record<string, unknown>;
  seats: SeatWish[];
  clock: Record<string, unknown> | null;
  practice: boolean;
  seed?: number;
  from?: { film: string; step: number };
}

export interface RoomMade {
  room: string;
  seats: { seat: number; kind: string; token?: string; link?: string }[];
}

const OFFLINE: Text = {
  en: "The server does not answer. Is ./ludus still running?",
  zh: "服务器没有回应。./ludus 还在运行吗？",
};

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/api${path}`, init);
  } catch {
    throw new Refusal(OFFLINE, 0);
  }
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new Refusal(complaint(body, response), response.status);
  return body as T;
}

function complaint(body: unknown, response: Response): Text {
  const error = (body as { error?: Text } | null)?.error;
  if (error?.en) return error;
  return {
    en: `The server answered ${response.status} ${response.statusText}.`,
    zh: `服务器回答：${response.status} ${response.statusText}。`,
  };
}

function post<T>(path: string, body: unknown): Promise<T> {
  return ask<T>(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

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
    post<{ films: string[] }>("/matches", wish),
  open(files: { file: File; name: string }[]): Promise<{ films: Summary[] }> {
    const form = new FormData();
    for (const { file, name } of files) form.append("files", file, name);
    return ask("/open", { method: "POST", body: form });
  },
  rawUrl: (id: string) => `/api/films/${encodeURIComponent(id)}/raw`,
  htmlUrl: (id: string) => `/api/films/${encodeURIComponent(id)}/html`,
};
