/** The settings of the arena in words. */

import type { Text } from "../../api/generated";
import type { SettingField } from "../ui/settingField";
import { ISOLATION_LEVELS } from "../../labels";
import { localize } from "../../settings.svelte";

/** Settings that have a place in the table of ladders, not a field. */
const TABLE_TITLES: Record<string, Text> = {
  ladder_options: { en: "Ladder options", zh: "天梯的游戏选项" },
  ladder_house: { en: "Built-in bots on ladders", zh: "天梯上的自带 AI" },
  ladder_models: { en: "Language models on ladders", zh: "天梯上的语言模型" },
  ladder_openings: { en: "Openings on ladders", zh: "天梯的开局" },
  ladder_clock: { en: "Seconds per bout on ladders", zh: "天梯每局秒数" },
  imports: { en: "Allowed imports", zh: "可导入的模块" },
};

type Label = [title: Text, help: Text];

const LABELS: Record<string, Label> = {
  register: [
    { en: "Open registration", zh: "开放注册" },
    { en: "Otherwise a class invitation code is required.", zh: "否则须凭班级邀请码。" },
  ],
  guests: [
    { en: "Guests may play", zh: "游客可以对弈" },
    {
      en: "People without an account may play and start matches.",
      zh: "没有账号也可以对弈、让 AI 互相对局。",
    },
  ],
  upload_kilobytes: [
    { en: "Maximum upload size", zh: "上传大小上限" },
    { en: "kB; up to eight times as much when unpacked", zh: "kB；解压后至多八倍" },
  ],
  storage_megabytes: [
    { en: "Storage for versions", zh: "版本存储空间" },
    {
      en: "MB per person, including unpacked and compiled files",
      zh: "MB，每人，包括解压和编译后的文件",
    },
  ],
  repository_megabytes: [
    { en: "Size of a git repository", zh: "git 仓库大小上限" },
    { en: "MB per bot, with its history", zh: "MB，每个 AI，含历史" },
  ],
  git_hosts: [
    { en: "Allowed git hosts", zh: "允许的 git 主机" },
    {
      en: "hosts with a private address or without HTTPS that bots may be tied to",
      zh: "地址非公网或没有 HTTPS、但允许 AI 关联的主机",
    },
  ],
  bots_per_game: [
    { en: "Bots per game", zh: "每个游戏的 AI 数" },
    { en: "per person or team", zh: "每人或每队" },
  ],
  uploads_a_day: [
    { en: "Uploads per day", zh: "每日上传数" },
    { en: "per person", zh: "每人" },
  ],
  model_bouts_a_day: [
    { en: "Bouts of a language model per day", zh: "语言模型每日局数" },
    {
      en: "on each ladder; each move is a request that may cost money",
      zh: "每个天梯；每步都是一次可能收费的请求",
    },
  ],
  bouts_a_day: [
    { en: "Challenge bouts per day", zh: "每日挑战局数" },
    { en: "per person", zh: "每人" },
  ],
  opponents_a_day: [
    { en: "Test opponents per day", zh: "每日测试对手数" },
    { en: "in batch tests, per person", zh: "每人批量测试" },
  ],
  clock_seconds: [
    { en: "Maximum clock", zh: "最长用时" },
    { en: "seconds, in challenges", zh: "秒，挑战中每方的上限" },
  ],
  jail: [
    { en: "Isolation", zh: "隔离级别" },
    {
      en: "Uploads are rejected on machines with weaker isolation.",
      zh: "隔离弱于此级别的机器会拒绝上传。",
    },
  ],
  ladder_enough: [
    { en: "Ladder precision ±", zh: "天梯精度" },
    {
      en: "rating points; a ladder pauses below this error; 0: never",
      zh: "等级分误差小于此值时暂停；0：从不暂停",
    },
  ],
  outputs_days: [
    { en: "Keep output for", zh: "输出保留天数" },
    { en: "days; 0: forever", zh: "天；0：永久" },
  ],
  check_bouts: [
    { en: "Bouts per check", zh: "每次检查的局数" },
    { en: "at most; one bout on every seat is always played", zh: "上限；每个座位至少下一局" },
  ],
  check_seconds: [
    { en: "Seconds per check", zh: "每次检查的秒数" },
    { en: "after which no further bout starts", zh: "超过后不再开始新的一局" },
  ],
};

/** What a setting is called, those of ladders and imports too; empty if it has no name. */
export function settingTitle(name: string): string {
  return localize(LABELS[name]?.[0] ?? TABLE_TITLES[name]);
}

/** Fields for the plain settings; those by game have a table of their own. */
export function siteSettingFields(siteSettings: Record<string, unknown>): SettingField[] {
  const plain = Object.entries(siteSettings).filter(
    ([name, value]) => typeof value !== "object" || value === null || name === "git_hosts",
  );
  return plain.map(([name, value]) => field(name, name === "jail" ? (value ?? "userns") : value));
}

function field(name: string, value: unknown): SettingField {
  const [title, help] = LABELS[name] ?? [
    { en: name, zh: name },
    { en: "", zh: "" },
  ];
  const choices = name === "jail" ? Object.keys(ISOLATION_LEVELS) : null;
  return {
    name,
    title,
    help,
    choices,
    named: choices ? ISOLATION_LEVELS : undefined,
    default: value,
    type: typeOf(value),
  };
}

function typeOf(value: unknown): SettingField["type"] {
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return "float";
  return Array.isArray(value) ? "list" : "text";
}
