/** A bracket as it is drawn: the winners' side, the losers' side, and the match for third place. */

import type { BracketMatch, Text } from "../../api/generated";

export interface BracketSide {
  key: "winners" | "losers" | "third";
  rounds: BracketMatch[][];
}

export function sidesOf(columns: BracketMatch[][]): BracketSide[] {
  const needed = columns
    .map((round) => round.filter((node) => !node.skipped))
    .filter((round) => round.length);
  const roundsOf = (key: BracketSide["key"]): BracketMatch[][] =>
    needed.filter((round) => sideOf(round[0]) === key);
  const sides = (["winners", "losers", "third"] as const).map((key) => ({
    key,
    rounds: roundsOf(key),
  }));
  return sides.filter((side) => side.rounds.length);
}

/** Keys tell: `w2.1` is the winners' side, round 2; `gf1` the grand final. */
function sideOf(node: BracketMatch): BracketSide["key"] {
  if (node.key === "third") return "third";
  return /^l\d/.test(node.key) ? "losers" : "winners";
}

/** Nodes whose winners meet in the next round stand together. */
export function pairsOf(round: BracketMatch[], next: BracketMatch[] | undefined): BracketMatch[][] {
  if (!next || 2 * next.length !== round.length) return round.map((node) => [node]);
  return next.map((_, index) => round.slice(2 * index, 2 * index + 2));
}

/** A link to a bout of a match. */
export interface FilmLink {
  film: string;
  label: string;
  spoken: Text;
}

const MAX_LINKS = 24;

/** Links to the bouts of a match; extra bouts, which come last, are numbered +1, +2, … */
export function filmLinks({ films, extra_films }: BracketMatch): FilmLink[] {
  return [
    ...films.map(regularLink).slice(0, MAX_LINKS),
    ...extra_films.map(extraLink).slice(-MAX_LINKS),
  ];
}

function regularLink(film: string, index: number): FilmLink {
  const number = index + 1;
  return { film, label: `${number}`, spoken: { en: `bout ${number}`, zh: `第 ${number} 局` } };
}

function extraLink(film: string, index: number): FilmLink {
  const number = index + 1;
  return {
    film,
    label: `+${number}`,
    spoken: { en: `extra bout ${number}`, zh: `加赛第 ${number} 局` },
  };
}
