/** Which component shows which address. Only the home page comes with the first load. */

import type { Component } from "svelte";
import type { Text } from "./api/generated";
import HomePage from "./pages/HomePage.svelte";

// Pages take the named parts of their address, each its own.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Page = Component<any>;
type PageLoader = () => Promise<{ default: Page }>;

export interface RouteMatch {
  load: PageLoader;
  /** The parts of the address that have names. */
  params: Record<string, string>;
  title: Text | null;
}

/** An address, what its tab says, and where it comes from. */
const ROUTES: [string, Text | null, PageLoader][] = [
  ["/", null, () => Promise.resolve({ default: HomePage as Page })],
  ["/watch/:id", { en: "Bout", zh: "对局" }, () => import("./pages/WatchPage.svelte")],
  ["/room/:id", { en: "Room", zh: "房间" }, () => import("./pages/RoomPage.svelte")],
  ["/seminar/:code", { en: "Seminar", zh: "讲评" }, () => import("./pages/SeminarPage.svelte")],
  ["/play", { en: "Play", zh: "对弈" }, () => import("./pages/PlayPage.svelte")],
  ["/records", { en: "Records", zh: "录像" }, () => import("./pages/RecordsPage.svelte")],
  [
    "/welcome",
    { en: "Set up the arena", zh: "开启竞技场" },
    () => import("./pages/WelcomePage.svelte"),
  ],
  ["/login", { en: "Log in", zh: "登录" }, () => import("./pages/LoginPage.svelte")],
  ["/activate", { en: "Welcome", zh: "欢迎" }, () => import("./pages/ActivatePage.svelte")],
  ["/register", { en: "Register", zh: "注册" }, () => import("./pages/RegisterPage.svelte")],
  ["/me", { en: "My account", zh: "我的账号" }, () => import("./pages/AccountPage.svelte")],
  [
    "/mail/:act",
    { en: "Notices by e-mail", zh: "邮件通知" },
    () => import("./pages/MailPage.svelte"),
  ],
  ["/u/:name", { en: "Player", zh: "用户" }, () => import("./pages/UserPage.svelte")],
  ["/bots", { en: "My bots", zh: "我的 AI" }, () => import("./pages/BotsPage.svelte")],
  ["/bots/new", { en: "New bot", zh: "新建 AI" }, () => import("./pages/NewBotPage.svelte")],
  ["/bots/:id", { en: "Bot", zh: "AI" }, () => import("./pages/BotPage.svelte")],
  [
    "/bots/:id/against/:rival",
    { en: "Head to head", zh: "交锋记录" },
    () => import("./pages/MatchupPage.svelte"),
  ],
  [
    "/challenges/:id",
    { en: "Challenge", zh: "挑战" },
    () => import("./pages/ChallengePage.svelte"),
  ],
  ["/ladder", { en: "Ladders", zh: "天梯" }, () => import("./pages/LaddersPage.svelte")],
  ["/ladder/:game", { en: "Ladder", zh: "天梯" }, () => import("./pages/LadderPage.svelte")],
  ["/contests", { en: "Contests", zh: "比赛" }, () => import("./pages/ContestsPage.svelte")],
  [
    "/contests/new",
    { en: "New contest", zh: "新建比赛" },
    () => import("./pages/ContestFormPage.svelte"),
  ],
  ["/contests/:id", { en: "Contest", zh: "比赛" }, () => import("./pages/ContestPage.svelte")],
  [
    "/contests/:id/edit",
    { en: "Edit contest", zh: "修改比赛" },
    () => import("./pages/ContestFormPage.svelte"),
  ],
  [
    "/contests/:id/wall",
    { en: "Projector", zh: "比赛大屏" },
    () => import("./pages/WallPage.svelte"),
  ],
  ["/games", { en: "Games", zh: "游戏" }, () => import("./pages/GamesPage.svelte")],
  ["/games/:game", { en: "Game", zh: "游戏" }, () => import("./pages/GamePage.svelte")],
  ["/rooms", { en: "Rooms", zh: "房间" }, () => import("./pages/RoomsPage.svelte")],
  ["/groups", { en: "Classes", zh: "班级" }, () => import("./pages/GroupsPage.svelte")],
  ["/groups/:id", { en: "Class", zh: "班级" }, () => import("./pages/GroupPage.svelte")],
  [
    "/assignments",
    { en: "Assignments", zh: "作业" },
    () => import("./pages/AssignmentsPage.svelte"),
  ],
  [
    "/assignments/:id",
    { en: "Assignment", zh: "作业" },
    () => import("./pages/AssignmentPage.svelte"),
  ],
  ["/assignments/:id/marks", { en: "Marks", zh: "成绩" }, () => import("./pages/MarksPage.svelte")],
  [
    "/assignments/:id/edit",
    { en: "Edit assignment", zh: "修改作业" },
    () => import("./pages/AssignmentFormPage.svelte"),
  ],
  [
    "/groups/:group/assignments/new",
    { en: "New assignment", zh: "布置作业" },
    () => import("./pages/AssignmentFormPage.svelte"),
  ],
  ["/admin", { en: "Admin", zh: "管理" }, () => import("./pages/AdminPage.svelte")],
];

export function findRoute(path: string): RouteMatch | null {
  const parts = path.split("/");
  for (const [pattern, title, load] of ROUTES) {
    const params = match(pattern.split("/"), parts);
    if (params) return { load, params, title };
  }
  return null;
}

function match(pattern: string[], parts: string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, wanted] of pattern.entries()) {
    if (wanted.startsWith(":") && parts[index]) params[wanted.slice(1)] = decodePart(parts[index]);
    else if (wanted !== parts[index]) return null;
  }
  return params;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
