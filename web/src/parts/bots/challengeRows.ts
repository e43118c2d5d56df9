/** The lines of a challenge, as a batch test has them: the first player against each other one. */

import type { BoutInfo, ChallengeInfo, TestedOpponent } from "../../api/generated";

export function challengeRows(challenge: ChallengeInfo): TestedOpponent[] {
  if (challenge.rows) return challenge.rows;
  const [mine, rival, ...others] = challenge.players;
  if (!rival || others.length) return [];
  const row: TestedOpponent = { ...rival, won: 0, drawn: 0, lost: 0, faults: 0 };
  for (const bout of challenge.bouts ?? []) count(row, bout, mine.name);
  return [row];
}

function count(row: TestedOpponent, bout: BoutInfo, mine: string): void {
  const seat = bout.players.findIndex((player) => player.name === mine);
  if (bout.winner === null) row.drawn++;
  else if (bout.winner === seat) row.won++;
  else row.lost++;
  if (bout.players[seat]?.fault) row.faults++;
}
