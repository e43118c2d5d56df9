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
  output: ["bad output", "输出异常"],
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

const AGES: [number, Intl.RelativeTimeFormatUnit][] = [
  [60, "second"],
  [3600, "minute"],
  [86400, "hour"],
  [7 * 86400, "day"],
];

/** `3 minutes ago`, `in 2 hours`; the date when it is further away than a week. */
export function agoText(iso: string | null, language: string): string {
  if (!iso) return "";
  const seconds = (new Date(iso).getTime() - Date.now()) / 1000;
  const found = AGES.find(([most]) => Math.abs(seconds) < most);
  if (!found) return dateText(iso, language);
  const one = { second: 1, minute: 60, hour: 3600, day: 86400 }[found[1] as "day"] ?? 1;
  const format = new Intl.RelativeTimeFormat(language === "zh" ? "zh-CN" : "en-GB", {
    numeric: "auto",
  });
  return format.format(Math.round(seconds / one), found[1]);
}

/** `12 kB`, `3.4 MB`: how much room something takes. */
export function sizeText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) {
    bytes /= 1000;
    unit++;
  }
  return `${bytes >= 100 || unit === 0 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit]}`;
}
