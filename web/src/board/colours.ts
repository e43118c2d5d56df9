/** The page's colours, read from the style sheet for canvases. */

import type { Look } from "./paint";

export const FONT =
  'ui-sans-serif, system-ui, "Segoe UI", Roboto, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "WenQuanYi Micro Hei", sans-serif';

const known = new Map<boolean, Look>();

/** Reading the style is slow, and it has two states only. */
export function lookOf(dark: boolean): Look {
  const look = known.get(dark) ?? read(dark);
  known.set(dark, look);
  return look;
}

function read(dark: boolean): Look {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    dark,
    ink: colour("ink"),
    soft: colour("soft"),
    faint: colour("faint"),
    line: colour("line"),
    ground: colour("ground"),
    surface: colour("surface"),
    sunken: colour("sunken"),
    accent: colour("accent"),
    bad: colour("bad"),
    doubtful: colour("doubtful"),
    seats: [0, 1, 2, 3, 4, 5].map((seat) => colour(`seat${seat}`)),
    font: FONT,
  };
}
