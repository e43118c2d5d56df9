/** Words that several pages of the arena say. */

import type { Text } from "../film/types";
import { tr, words } from "../settings.svelte";
import type { ContestState, Owner, Role, Trial, Version } from "./types";

export function roleName(role: Role): string {
  if (role === "organiser") return tr("organiser", "管理员");
  return role === "teacher" ? tr("teacher", "教师") : tr("student", "学生");
}

/** Texts of the server are in both languages, or plain words of a person. */
export function told(text: Text | string | null | undefined): string {
  return typeof text === "string" ? text : words(text);
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

export function trialState(state: Trial["state"]): string {
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
