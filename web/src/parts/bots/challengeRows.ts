/** The lines of a challenge, as a batch test has them: the first player against each other one. */

import type { BoutRow, Trial, TrialRow } from "../../api/types";

export function rowsOf(trial: Trial): TrialRow[] {
  if (trial.rows) return trial.rows;
  const [mine, rival, ...others] = trial.players;
  if (!rival || others.length) return [];
  const row: TrialRow = { ...rival, won: 0, drawn: 0, lost: 0, faults: 0 };
  for (const bout of trial.bouts ?? []) count(row, bout, mine.name);
  return [row];
}

function count(row: TrialRow, bout: BoutRow, mine: string): void {
  const seat = bout.players.findIndex((player) => player.name === mine);
  if (bout.winner === null) row.drawn++;
  else if (bout.winner === seat) row.won++;
  else row.lost++;
  if (bout.players[seat]?.fault) row.faults++;
}
