/** A bracket as columns: rounds of the winners' side, of the losers' side, and the end. */

import type { BracketNode } from "../types";

export interface BracketSide {
  /** The first letter of its keys: `w2.1` is the winners' side, round 2. */
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
  return /^l\d/.test(key) ? "l" : "w";
}
