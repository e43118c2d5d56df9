/** Where two programs match: file, first and last line of one, then of the other. */

import type { ComparedCode } from "../../api/generated";

export type MatchingPlace = ComparedCode["where"][number];

/** `bot.py:3–12 ~ main.py:5–14` */
export function placeText([file, first, last, other, from, to]: MatchingPlace): string {
  return `${file}:${lines(first, last)} ~ ${other}:${lines(from, to)}`;
}

function lines(first: number, last: number): string {
  return first === last ? String(first) : `${first}–${last}`;
}
