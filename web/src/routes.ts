/** Which component shows which address. Only the home page comes with the first load. */

import type { Component } from "svelte";
import Home from "./pages/Home.svelte";

type Loading = () => Promise<{ default: Component<any> }>;

export interface Found {
  load: Loading;
  /** The parts of the address that have names. */
  given: Record<string, string>;
}

const ROUTES: [string, Loading][] = [
  ["/", () => Promise.resolve({ default: Home as Component<any> })],
  ["/watch/:id", () => import("./pages/Watch.svelte")],
  ["/room/:id", () => import("./pages/RoomPage.svelte")],
  ["/play", () => import("./pages/Play.svelte")],
  ["/records", () => import("./pages/Records.svelte")],
  ["/welcome", () => import("./pages/Welcome.svelte")],
  ["/login", () => import("./pages/Login.svelte")],
  ["/register", () => import("./pages/Register.svelte")],
  ["/me", () => import("./pages/Me.svelte")],
  ["/u/:name", () => import("./pages/UserPage.svelte")],
  ["/bots", () => import("./pages/Bots.svelte")],
  ["/bots/new", () => import("./pages/NewBot.svelte")],
  ["/bots/:id", () => import("./pages/BotPage.svelte")],
  ["/trials/:id", () => import("./pages/TrialPage.svelte")],
  ["/ladder", () => import("./pages/Ladders.svelte")],
  ["/ladder/:game", () => import("./pages/LadderPage.svelte")],
  ["/contests", () => import("./pages/Contests.svelte")],
  ["/contests/new", () => import("./pages/ContestForm.svelte")],
  ["/contests/:id", () => import("./pages/ContestPage.svelte")],
  ["/contests/:id/edit", () => import("./pages/ContestForm.svelte")],
  ["/contests/:id/wall", () => import("./pages/Wall.svelte")],
  ["/rooms", () => import("./pages/Rooms.svelte")],
  ["/groups/:id", () => import("./pages/GroupPage.svelte")],
  ["/desk", () => import("./pages/Desk.svelte")],
];

export function findRoute(path: string): Found | null {
  const parts = path.split("/");
  for (const [pattern, load] of ROUTES) {
    const given = match(pattern.split("/"), parts);
    if (given) return { load, given };
  }
  return null;
}

function match(pattern: string[], parts: string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
  const given: Record<string, string> = {};
  for (const [index, wanted] of pattern.entries()) {
    if (wanted.startsWith(":") && parts[index]) given[wanted.slice(1)] = decoded(parts[index]);
    else if (wanted !== parts[index]) return null;
  }
  return given;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
