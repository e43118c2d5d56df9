"""Round robin: every two entrants meet."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from typing import Literal

import msgspec

from ludus.contest.model import (
    Cycles,
    Entrant,
    Pairing,
    Places,
    Result,
    Seats,
    Seed,
    StandingsTable,
    list_unplayed,
)
from ludus.contest.standings import CHESS_POINTS, Points, compute_league_totals, rank_entrants
from ludus.lang import Text

TITLE: Text = Text("Round robin", "循环赛")


class RoundRobin(
    msgspec.Struct, frozen=True, tag="round-robin", tag_field="name", forbid_unknown_fields=True
):
    """Every two entrants meet ``cycles`` times, with the seats the other way round each time."""

    cycles: Cycles = 1
    points: Points = CHESS_POINTS
    tie_breaks: tuple[str, ...] = ("bouts", "head-to-head", "sonneborn-berger")
    schedule: Literal["circle", "drawn"] = "circle"
    """``circle``: rounds in which every entrant plays once; ``drawn``: in an order drawn by lot."""
    seed: Seed = 42
    """The seed for drawing lots."""
    seats: Seats = 2
    through: Places = 0
    """After how many entrants the table has a line."""
    group: str = ""
    """The group it is played in, if there are several."""

    def pairings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> list[Pairing]:
        """Every match that is still to be played, in the order in which they should begin."""
        return list_unplayed(self.plan([entrant.name for entrant in entrants]), entrants, results)

    def max_matches(self, entrants: Sequence[Entrant]) -> int:
        return self.cycles * math.comb(len(entrants), self.seats)

    def plan(self, names: Sequence[str]) -> list[Pairing]:
        """All matches, played or not."""
        pairings = []
        for cycle in range(1, self.cycles + 1):
            for number, seated in self._one_cycle(names):
                turn = (cycle - 1) % len(seated)
                pairings.append(self._pairing(cycle, number, seated[turn:] + seated[:turn]))
        return pairings

    def _one_cycle(self, names: Sequence[str]) -> list[tuple[int, tuple[str, ...]]]:
        if self.seats > 2:
            return [(1, seated) for seated in itertools.combinations(names, self.seats)]
        if self.schedule == "drawn":
            return [(1, pair) for pair in draw_schedule(names, self.seed)]
        return circle_schedule(names)

    @property
    def _title(self) -> Text:
        if not self.group:
            return TITLE
        return Text(f"Group {self.group}", f"{self.group} 组")

    def _pairing(self, cycle: int, number: int, seated: tuple[str, ...]) -> Pairing:
        names = "/".join(sorted(seated))
        prefix = f"group/{self.group}" if self.group else "rr"
        return Pairing(f"{prefix}/{cycle}/{names}", seated, round=number, title=self._title)

    def standings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> StandingsTable:
        names = [entrant.name for entrant in entrants]
        ours = {pairing.id for pairing in self.plan(names)}
        counted = [each for each in results if each.id in ours]
        totals = compute_league_totals(entrants, counted, self.points)
        return rank_entrants(
            entrants,
            totals,
            self.tie_breaks,
            seed=self.seed,
            title=self._title,
            through=self.through,
        )

    def tables(
        self, entrants: Sequence[Entrant], results: Sequence[Result]
    ) -> list[StandingsTable]:
        return [self.standings(entrants, results)]


def circle_schedule(names: Sequence[str]) -> list[tuple[int, tuple[str, ...]]]:
    """Rounds by the circle method: round and pair; nobody sits first twice more than second."""
    players: list[str | None] = list(names)
    if len(players) % 2:
        players.append(None)  # the entrant that meets None pauses
    last = len(players) - 1
    schedule: list[tuple[int, tuple[str, ...]]] = []
    for turn in range(last):
        pairs = [(turn, last) if turn % 2 == 0 else (last, turn)]
        for step in range(1, len(players) // 2):
            one, other = (turn + step) % last, (turn - step) % last
            pairs.append((one, other) if step % 2 else (other, one))
        for i, j in pairs:
            first, second = players[i], players[j]
            if first is not None and second is not None:
                schedule.append((turn + 1, (first, second)))
    return schedule


def draw_schedule(names: Sequence[str], seed: int) -> list[tuple[str, str]]:
    """Every pair once, in an order drawn by lot; who is named first moves first at first.

    It is the draw of the Paper.io event of 2018; ``names`` are in the order of entry.
    """
    generator = random.Random(seed)
    pairs = [
        (one, other) if generator.randrange(2) else (other, one)
        for one, other in itertools.combinations(names, 2)
    ]
    generator.shuffle(pairs)
    return pairs[::-1]
