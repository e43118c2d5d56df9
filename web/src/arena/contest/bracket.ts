/** A bracket as columns: rounds of the winners' side, of the losers' side, and the end. */

import type { BracketNode } from "../types";

export interface BracketSide {
  /** `w` and `l` after the keys of its nodes (`w2.1`: winners' side, round 2), or `third`. */
  key: string;
  rounds: BracketNode[][];
}

export function sidesOf(nodes: BracketNode[]): BracketSide[] {
  const sides = new Map<string, Map<number, BracketNode[]>>();
  for (const node of nodes) {
    const key = sideOf(node.key);
    const rounds = sides.get(key) ?? new Map<number, BracketNode[]>();
    rounds.set(node.round, [...(rounds.get(node.round) ?? []), node]);
    sides.set(key, rounds);
  }
  return [...sides].map(([key, rounds]) => ({
    key,
    rounds: [...rounds].sort(([a], [b]) => a - b).map(([, round]) => round),
  }));
}

function sideOf(key: string): string {
  if (key === "third") return key;
  return /^l\d/.test(key) ? "l" : "w";
}

/** Nodes whose winners meet in the next round stand together. */
export function pairsOf(round: BracketNode[], next: BracketNode[] | undefined): BracketNode[][] {
  if (!next || 2 * next.length !== round.length) return round.map((node) => [node]);
  return next.map((_, index) => round.slice(2 * index, 2 * index + 2));
}
