/** Words about contests. */

import { tr } from "../../settings.svelte";

const FORMATS: Record<string, [string, string]> = {
  "round-robin": ["round robin", "循环赛"],
  groups: ["groups", "小组循环"],
  staged: ["groups, then knockout", "小组赛加淘汰赛"],
  knockout: ["knockout", "淘汰赛"],
  "double-elimination": ["double elimination", "双败淘汰"],
  swiss: ["Swiss", "瑞士制"],
  gauntlet: ["gauntlet", "擂台赛"],
  ladder: ["ladder", "天梯赛"],
};

const HELP: Record<string, [string, string]> = {
  "round-robin": ["Everybody meets everybody.", "所有人两两交手。"],
  groups: ["A round robin in each group.", "每组循环。"],
  staged: ["Groups, then a knockout of the best.", "小组循环，优胜者淘汰赛。"],
  knockout: ["Who loses is out; byes for the best seeds.", "输者淘汰，种子轮空。"],
  "double-elimination": ["Who loses twice is out.", "输两场才淘汰。"],
  swiss: ["Equal points meet, never the same two twice.", "同分相遇，不重复对阵。"],
  gauntlet: ["The challengers against everybody else.", "擂主对所有人。"],
  ladder: ["Round by round, the pairs that tell most.", "逐轮选择最有信息量的对阵。"],
};

const TIES: Record<string, [string, string]> = {
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
  return TIES[tie] ? tr(...TIES[tie]) : null;
}

export function formatHelp(format: string): string {
  return HELP[format] ? tr(...HELP[format]) : "";
}

export function formatName(format: string): string {
  return FORMATS[format] ? tr(...FORMATS[format]) : format;
}

/** Numbers of a table as people write them. */
export function figure(value: unknown): string {
  if (typeof value !== "number") return value === null || value === undefined ? "" : String(value);
  return Number.isInteger(value) ? String(value) : String(Math.round(value * 100) / 100);
}
