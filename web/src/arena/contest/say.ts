/** Words about contests. */

import { tr } from "../../settings.svelte";
import type { Contest } from "../types";

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

export function formatName(format: string): string {
  return FORMATS[format] ? tr(...FORMATS[format]) : format;
}

export function entrantCount(contest: Contest): number {
  return contest.entrants?.length ?? contest.entrants_count ?? 0;
}

/** Numbers of a table as people write them. */
export function figure(value: unknown): string {
  if (typeof value !== "number") return value === null || value === undefined ? "" : String(value);
  return Number.isInteger(value) ? String(value) : String(Math.round(value * 100) / 100);
}
