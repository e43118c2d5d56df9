/** Numbers, times and sizes as people write them. */

import { tr } from "./settings.svelte";

/** `1:05`, `9.3`, `0.42`: seconds on a clock. */
export function clockText(seconds: number): string {
  const sign = seconds < 0 ? "−" : "";
  const s = Math.abs(seconds);
  if (s >= 60) {
    const whole = Math.floor(s);
    return `${sign}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  }
  const digits = s < 10 ? 2 : 1;
  return `${sign}${(Math.floor(s * 10 ** digits) / 10 ** digits).toFixed(digits)}`;
}

/** `12 ms`, `1.3 s`: how long a move took; never broken into two lines. */
export function durationText(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)}\u00a0ms`;
  return `${seconds.toFixed(seconds < 10 ? 1 : 0)}\u00a0s`;
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

/** The time zone of the reader, as in `Asia/Shanghai`; files that the server writes are told it. */
export function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
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
  const zh = language === "zh";
  const format = new Intl.RelativeTimeFormat(zh ? "zh-CN" : "en-GB", {
    numeric: "auto",
    style: zh ? "short" : "long",
  });
  const text = format.format(Math.round(seconds / one), found[1]);
  return zh ? text.replace(/\d+/, "$& ") : text;
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

/** Numbers of a table as people write them. */
export function numberText(value: unknown): string {
  if (typeof value !== "number") return value === null || value === undefined ? "" : String(value);
  return Number.isInteger(value) ? String(value) : String(Math.round(value * 100) / 100);
}

/** `1 point`, `0.5 points`: a number with its English noun. */
export function countText(value: number, one: string, many: string): string {
  return `${numberText(value)} ${value === 1 ? one : many}`;
}

/** `+12`, `−7`, `0`: a whole number with its sign. */
export function signedText(value: number): string {
  // Half away from zero: what is sent has been cut to a decimal.
  const whole = Math.sign(value) * Math.round(Math.abs(value));
  return whole > 0 ? `+${whole}` : String(whole).replace("-", "−");
}

/** `53 %`, in Chinese `53%`: a share of 1. */
export function percentText(share: number): string {
  const whole = Math.round(100 * share);
  return tr(`${whole} %`, `${whole}%`);
}

export function toDatetimeField(iso: string | null | undefined): string {
  if (!iso) return "";
  const date = new Date(iso);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

export function fromDatetimeField(text: string): string | null {
  return text ? new Date(text).toISOString() : null;
}
