/** Names of states, roles, formats and faults, and short sentences that several parts use. */

import type {
  ContestState,
  End,
  Film,
  Owner,
  Role,
  Summary,
  Text,
  Challenge,
  Version,
} from "./api/types";
import { seatName, tr, localize } from "./settings.svelte";

/** Texts of the server are in both languages, or plain words of a person. */
export function plainText(text: Text | string | null | undefined): string {
  return typeof text === "string" ? text : localize(text);
}

export function roleName(role: Role): string {
  if (role === "organiser") return tr("organiser", "管理员");
  return role === "teacher" ? tr("teacher", "教师") : tr("student", "学生");
}

export function versionState(state: Version["state"]): string {
  if (state === "checking") return tr("being checked", "检查中");
  return state === "good" ? tr("ready", "可用") : tr("refused", "未通过");
}

export function versionBadge(state: Version["state"]): string {
  return { checking: "busy", good: "good", refused: "bad" }[state];
}

export function contestState(state: ContestState): string {
  const names: Record<ContestState, string> = {
    planned: tr("planned", "计划中"),
    open: tr("open for entries", "报名中"),
    closed: tr("entries closed", "报名截止"),
    running: tr("running", "进行中"),
    over: tr("over", "已结束"),
    published: tr("results published", "已公布"),
    stopped: tr("stopped", "已中止"),
  };
  return names[state] ?? state;
}

export function contestBadge(state: ContestState): string {
  if (state === "running") return "busy";
  return state === "open" ? "good" : "";
}

export function challengeState(state: Challenge["state"]): string {
  if (state === "stopped") return tr("stopped", "已中止");
  return state === "running" ? tr("running", "进行中") : tr("over", "已结束");
}

export function languageName(name: string): string {
  const names: Record<string, string> = {
    python: "Python",
    cpp: "C++",
    javascript: "JavaScript",
    java: "Java",
    c: "C",
  };
  return names[name] ?? name;
}

export function ownerName(owner: Owner | null | undefined): string {
  if (!owner || owner.kind === "house") return tr("the house", "自带");
  return owner.kind === "team"
    ? tr(`team ${owner.name}`, `${owner.name} 队`)
    : owner.shown || owner.name;
}

/** Who won, in a few words. */
export function resultText(end: End, players: { name: string }[]): string {
  if (end.winner === null) return tr("Draw", "平局");
  const name = players[end.winner]?.name ?? "";
  return tr(`${name} wins`, `${name} 获胜`);
}

const FAULT_NAMES: Record<string, [string, string]> = {
  illegal: ["illegal move", "违规着法"],
  crash: ["crashed", "崩溃"],
  timeout: ["out of time", "超时"],
  memory: ["out of memory", "内存超限"],
  output: ["bad output", "输出异常"],
  load: ["could not be loaded", "无法加载"],
  resign: ["resigned", "认输"],
};

export function faultName(kind: string): string {
  return FAULT_NAMES[kind] ? tr(...FAULT_NAMES[kind]) : kind;
}

export function seatLabel(film: Film, seat: number): string {
  return seatName(film.game.seats[seat] ?? String(seat));
}

export function playerNames(summary: Pick<Summary, "players">): string {
  return summary.players.map((player) => player.name).join(tr(" – ", " 对 "));
}

const FORMAT_NAMES: Record<string, [string, string]> = {
  "round-robin": ["round robin", "循环赛"],
  groups: ["groups", "小组循环"],
  staged: ["groups, then knockout", "小组赛加淘汰赛"],
  knockout: ["knockout", "淘汰赛"],
  "double-elimination": ["double elimination", "双败淘汰"],
  swiss: ["Swiss", "瑞士制"],
  gauntlet: ["gauntlet", "擂台赛"],
  ladder: ["ladder", "天梯赛"],
};

const FORMAT_HELP: Record<string, [string, string]> = {
  "round-robin": ["Everybody meets everybody.", "所有人两两交手。"],
  groups: ["A round robin in each group.", "每组循环。"],
  staged: ["Groups, then a knockout of the best.", "小组循环，优胜者淘汰赛。"],
  knockout: ["Who loses is out; byes for the best seeds.", "输者淘汰，种子轮空。"],
  "double-elimination": ["Who loses twice is out.", "输两场才淘汰。"],
  swiss: ["Equal points meet, never the same two twice.", "同分相遇，不重复对阵。"],
  gauntlet: ["The challengers against everybody else.", "擂主对所有人。"],
  ladder: ["Round by round, the pairs that tell most.", "逐轮选择最有信息量的对阵。"],
};

const TIE_BREAK_NAMES: Record<string, [string, string]> = {
  "head-to-head": ["Head to head", "相互成绩"],
  "sonneborn-berger": ["Sonneborn-Berger", "索博分"],
  buchholz: ["Buchholz", "布赫分"],
  figure: ["Figure", "数值"],
  bouts: ["Bouts", "局分"],
  net: ["Net", "净胜"],
  won: ["Won", "胜局"],
  lots: ["Lots", "抽签"],
};

/** What decides between equals, as people call it. */
export function tieName(tie: string): string | null {
  return TIE_BREAK_NAMES[tie] ? tr(...TIE_BREAK_NAMES[tie]) : null;
}

export function formatHelp(format: string): string {
  return FORMAT_HELP[format] ? tr(...FORMAT_HELP[format]) : "";
}

export function formatName(format: string): string {
  return FORMAT_NAMES[format] ? tr(...FORMAT_NAMES[format]) : format;
}
