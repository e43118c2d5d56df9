"""The output of ``match.py``: a line for each game, then the result."""

from __future__ import annotations

from dataclasses import dataclass, field

RULER = "=" * 45
ERROR_SCORE = 500
"""What a game that ended with an error adds to its winner's total; the loser's gets 0."""
MIN_NAME_WIDTH = 12
DRAW = "-"
FIRST_PLAYER_HEADER = "who's first"


@dataclass(frozen=True)
class MatchTableRow:
    """One game; everything in the order of the match's players."""

    winner: int | None
    """The winning player; None for a draw, which the original does not have."""
    first: int
    """The player that moved first."""
    reason: str
    """``CMPL``, ``KO``, ``TLE`` or ``ERROR``."""
    turns: int
    scores: tuple[int, int]
    """The points of both players."""
    times: tuple[float, float]
    failed: bool = False
    """Whether it ended with an error of the loser."""

    @property
    def counted_scores(self) -> tuple[int, int]:
        """The points that it adds to the totals."""
        if not self.failed:
            return self.scores
        return (ERROR_SCORE, 0) if self.winner == 0 else (0, ERROR_SCORE)


@dataclass
class MatchTable:
    """The games of a match so far."""

    names: tuple[str, str]
    lines: list[MatchTableRow] = field(default_factory=list)

    @property
    def _width(self) -> int:
        return max(MIN_NAME_WIDTH, *map(len, self.names))

    @property
    def wins(self) -> tuple[int, int]:
        first, second = (sum(line.winner == i for line in self.lines) for i in (0, 1))
        return first, second

    @property
    def scores(self) -> tuple[int, int]:
        first, second = (sum(line.counted_scores[i] for line in self.lines) for i in (0, 1))
        return first, second

    @property
    def times(self) -> tuple[float, float]:
        first, second = (sum(line.times[i] for line in self.lines) for i in (0, 1))
        return first, second

    def header(self) -> str:
        wide = self._width
        cells = [f"{'winner':^{wide}} ", f" {FIRST_PLAYER_HEADER:^{wide}} "]
        return "|".join([*cells, " reason ", "turns", "   scores    ", " total scores  ", ""])

    def add(self, line: MatchTableRow) -> str:
        """Count a game and return its line."""
        self.lines.append(line)
        wide = self._width
        winner = DRAW if line.winner is None else self.names[line.winner]
        (a, b), (total_a, total_b) = line.scores, self.scores
        cells = [
            f"{winner:^{wide}} ",
            f" {self.names[line.first]:^{wide}} ",
            f"{line.reason:^8}",
            f"{line.turns:^5}",
            f" {a:>4} - {b:<4} ",
            f" {total_a:>5} - {total_b:<5} ",
            f" {self.wins[0]}:{self.wins[1]}",
        ]
        return "|".join(cells)

    def winner(self, tie_breaks: bool = True) -> int | None:
        """The winner: more games; with the original's tie-breaks, then more points, less time."""
        wins, scores, times = self.wins, self.scores, self.times
        if wins[0] != wins[1]:
            return int(wins[1] > wins[0])
        if not tie_breaks:
            return None
        if scores[0] != scores[1]:
            return int(scores[1] > scores[0])
        return int(times[1] < times[0])

    def summary(self, tie_breaks: bool = True) -> str:
        (a, b), wins, scores, times = self.names, self.wins, self.scores, self.times
        winner = self.winner(tie_breaks)
        lines = [
            RULER,
            f"{a:>10} {wins[0]} - {wins[1]} {b:<10}",
            f"total score : {scores[0]} - {scores[1]}",
            f"total time  : {times[0]:.3f} - {times[1]:.3f}",
            f"Winner      : {DRAW if winner is None else self.names[winner]}",
        ]
        return "\n".join(lines)
