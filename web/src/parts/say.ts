/** Sentences about a bout that several parts say. */

import type { End, Film, Summary } from "../film/types";
import { seatName, tr } from "../settings.svelte";

/** Who won, in a few words. */
export function headline(end: End, players: { name: string }[]): string {
  if (end.winner === null) return tr("Draw", "平局");
  const name = players[end.winner]?.name ?? "";
  return tr(`${name} wins`, `${name} 获胜`);
}

const KINDS: Record<string, [string, string]> = {
  illegal: ["illegal move", "违规着法"],
  crash: ["crashed", "崩溃"],
  timeout: ["out of time", "超时"],
  memory: ["out of memory", "内存超限"],
  output: ["too much output", "输出过多"],
  load: ["could not be loaded", "无法加载"],
  resign: ["resigned", "认输"],
};

export function faultName(kind: string): string {
  return KINDS[kind] ? tr(...KINDS[kind]) : kind;
}

export function seatOf(film: Film, seat: number): string {
  return seatName(film.game.seats[seat] ?? String(seat));
}

/** `1:05`, `9.3`, `0.42`: seconds on a clock. */
export function clockText(seconds: number): string {
  const sign = seconds < 0 ? "−" : "";
  const s = Math.abs(seconds);
  if (s >= 60) {
    const whole = Math.floor(s);
    return `${sign}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  }
  return `${sign}${s < 10 ? s.toFixed(2) : s.toFixed(1)}`;
}

/** `12 ms`, `1.3 s`: how long a move took. */
export function spentText(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
}

export function dateText(iso: string | null, language: string): string {
  if (!iso) return "";
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  return date.toLocaleString(language === "zh" ? "zh-CN" : "en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
  });
}

export function versus(summary: Pick<Summary, "players">): string {
  return summary.players.map((player) => player.name).join(tr(" – ", " 对 "));
}
