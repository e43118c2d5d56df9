"""Groups, and contests in two stages: first a league, then a knockout of its best."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Annotated, Literal

import msgspec

from ludus.contest.formats import bracket
from ludus.contest.formats.bracket import BracketSource, FilledNode
from ludus.contest.formats.knockout import TITLE, Knockout, build_tree
from ludus.contest.formats.ladder import Ladder
from ludus.contest.formats.round_robin import RoundRobin
from ludus.contest.formats.swiss import Swiss
from ludus.contest.model import Entrant, Pairing, Result, Seed, StandingsRow, StandingsTable
from ludus.contest.standings import draw_lot, sort_by_seed
from ludus.errors import LudusError
from ludus.lang import Text


class Groups(
    msgspec.Struct, frozen=True, tag="groups", tag_field="name", forbid_unknown_fields=True
):
    """A round robin in each group."""

    groups: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=1000)] = ("A", "B")
    """The names of the groups."""
    draw: Literal["seeded", "lots", "given", "md5"] = "seeded"
    """``seeded``: in snakes down the seeding; ``lots``; ``given``: as the entrants say;
    ``md5``: by the digest of their names, as in the Paper.io event of 2018."""
    league: RoundRobin = RoundRobin()
    seed: Seed = 42

    def pairings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> list[Pairing]:
        """The matches of all groups in turn, so that the groups advance together."""
        queues = [
            self._league(name).pairings(members, results)
            for name, members in self.draw_groups(entrants).items()
        ]
        longest = max(map(len, queues), default=0)
        return [queue[i] for i in range(longest) for queue in queues if i < len(queue)]

    def max_matches(self, entrants: Sequence[Entrant]) -> int:
        count = len(self.groups)
        groups = [entrants[place::count] for place in range(count)]
        if self.draw == "given":
            names = {entrant.group for entrant in entrants}
            groups = [[each for each in entrants if each.group == name] for name in names]
        return sum(self.league.max_matches(group) for group in groups)

    def draw_groups(self, entrants: Sequence[Entrant]) -> dict[str, list[Entrant]]:
        """The members of each group."""
        members: dict[str, list[Entrant]] = {name: [] for name in self.groups}
        if self.draw == "given":
            for entrant in entrants:
                if entrant.group not in members:
                    raise LudusError(
                        f"{entrant.name} is in group {entrant.group!r}; the groups are"
                        f" {', '.join(self.groups)}",
                        f"{entrant.name} 的组别是 {entrant.group!r}；现有组别："
                        f"{'、'.join(self.groups)}",
                    )
                members[entrant.group].append(entrant)
            return members
        count = len(self.groups)
        for place, entrant in enumerate(self._order(entrants)):
            lap, column = divmod(place, count)
            if self.draw == "seeded" and lap % 2:
                column = count - 1 - column
            members[self.groups[column]].append(entrant)
        return members

    def _order(self, entrants: Sequence[Entrant]) -> list[Entrant]:
        if self.draw == "seeded":
            return sort_by_seed(entrants)
        if self.draw == "md5":
            return sorted(entrants, key=lambda e: hashlib.md5(e.name.encode()).hexdigest())
        return sorted(entrants, key=lambda e: draw_lot(self.seed, e.name))

    def _league(self, name: str) -> RoundRobin:
        return msgspec.structs.replace(self.league, group=name)

    def tables(
        self, entrants: Sequence[Entrant], results: Sequence[Result]
    ) -> list[StandingsTable]:
        return [
            self._league(name).standings(members, results)
            for name, members in self.draw_groups(entrants).items()
        ]

    def labels(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> dict[str, str]:
        """``E1`` → the winner of group E, and so on."""
        tables = zip(self.groups, self.tables(entrants, results), strict=True)
        return {
            f"{group}{place}": name
            for group, table in tables
            for place, name in enumerate(table.names, 1)
        }

    def standings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> StandingsTable:
        """The winners of all groups, then the seconds, and so on, with their ranks there."""
        tables = self.tables(entrants, results)
        rows = [
            (row.rank, place, number, row)
            for number, table in enumerate(tables)
            for place, row in enumerate(table.rows, 1)
        ]
        rows.sort(key=lambda item: (item[3].note == "disqualified", *item[:3]))
        ranked = tuple(
            replace(row, rank=len(rows)) if row.note == "disqualified" else row for *_, row in rows
        )
        return StandingsTable(ranked, self.league.tie_breaks, Text("Groups", "小组赛"))


League = RoundRobin | Groups | Swiss | Ladder
KNOCKOUT_ROUND = 10_001
"""Counted as the round of every match of the knockout after a league, behind all rounds of it."""


class Staged(
    msgspec.Struct, frozen=True, tag="staged", tag_field="name", forbid_unknown_fields=True
):
    """A league, and then a knockout of those that advance.

    Once a match of the knockout is over, its draw stays: whoever leaves from then on, also by
    disqualification, keeps the place in it and loses there.
    """

    league: League = Groups()
    through: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 2
    """How many advance (from each group)."""
    knockout: Knockout = Knockout()
    pairs: tuple[tuple[str, str], ...] = ()
    """The first round of the knockout by labels, such as ``["E1", "W2"]``; neighbours meet next.
    Without it the bracket follows the places in the league."""

    def __post_init__(self) -> None:
        if isinstance(self.league, Ladder) and self.league.endless:
            raise LudusError(
                "a ladder that a knockout follows needs an end: set its rounds",
                "其后有淘汰赛的天梯赛必须有终点：请设置 rounds",
            )

    def pairings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> list[Pairing]:
        if first := self.league.pairings(entrants, results):
            return first
        return bracket.open_pairings(self.bracket(entrants, results))

    def max_matches(self, entrants: Sequence[Entrant]) -> int:
        return self.league.max_matches(entrants) + self.knockout.max_matches(entrants)

    def bracket(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> list[FilledNode]:
        """Empty until the league is over."""
        if self.league.pairings(entrants, results):
            return []
        if self.pairs:
            labels = self.labels(entrants, results)
            sides = [
                BracketSource("entrant", labels.get(x, bracket.BYE)) for p in self.pairs for x in p
            ]
            nodes = build_tree(sides, third=self.knockout.third == "match")
        else:
            nodes = self.knockout.nodes(self.list_qualified(entrants, results))
        return bracket.fill_bracket(nodes, entrants, results)

    def labels(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> dict[str, str]:
        drawn = _restore_late_leavers(entrants)
        if isinstance(self.league, Groups):
            return self.league.labels(drawn, results)
        names = self.league.standings(drawn, results).names
        return {str(place): name for place, name in enumerate(names, 1)}

    def list_qualified(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> list[str]:
        """The entrants that advance, best first; one that was dropped before the knockout began is
        replaced by the next."""
        drawn = _restore_late_leavers(entrants)
        gone = {entrant.name for entrant in drawn if entrant.dropped}
        if not isinstance(self.league, Groups):
            names = self.league.standings(drawn, results).names
            return [name for name in names if name not in gone][: self.through]
        columns = [
            [name for name in table.names if name not in gone][: self.through]
            for table in self.league.tables(drawn, results)
        ]
        return [
            column[place]
            for place in range(self.through)
            for column in columns
            if place < len(column)
        ]

    def tables(
        self, entrants: Sequence[Entrant], results: Sequence[Result]
    ) -> list[StandingsTable]:
        tables = self.league.tables(entrants, results)
        filled = self.bracket(entrants, results)
        if not filled:  # nobody has advanced yet
            return [replace(table, through=self.through) for table in tables]
        drawn = {name for each in filled for name in each.names if name}
        marked = [mark_cutoff(table, self.through, drawn) for table in tables]
        return [*marked, self._knockout_table(filled, entrants, results)]

    def _knockout_table(
        self, filled: list[FilledNode], entrants: Sequence[Entrant], results: Sequence[Result]
    ) -> StandingsTable:
        seeding = self.list_qualified(entrants, results)
        if self.pairs:
            first = [each for each in filled if each.node.key.startswith("w1.")]
            seeding = [name for each in first for name in each.names if name]
        return bracket.compute_placings(entrants, seeding, filled, results, TITLE)

    def standings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> StandingsTable:
        """The knockout's places, then the others by their places in the league; with the matches
        and bouts of both, and the points of the league."""
        league = self.league.standings(entrants, results)
        filled = self.bracket(entrants, results)
        if not filled:
            return league
        knockout = self._knockout_table(filled, entrants, results)
        before = {row.name: row for row in league.rows}
        top = [
            _add_figures(row, before[row.name])
            for row in knockout.rows
            if row.note != "disqualified"
        ]
        names = {row.name for row in top}
        rest = [row for row in league.rows if row.name not in names]
        lower = [
            replace(row, rank=len(top) + 1 + sum(other.rank < row.rank for other in rest))
            for row in rest
        ]
        title = Text("Final standings (points: first stage)", "最终排名（积分为第一阶段）")
        return StandingsTable((*top, *lower), (), title, scale=league.scale)


def _add_figures(row: StandingsRow, league: StandingsRow) -> StandingsRow:
    """A place in the knockout with what was played in the league, too."""
    return replace(
        row,
        points=league.points,
        wins=row.wins + league.wins,
        draws=row.draws + league.draws,
        losses=row.losses + league.losses,
        scored=row.scored + league.scored,
        bouts=row.bouts + league.bouts,
    )


def has_knockout_results(results: Sequence[Result]) -> bool:
    """Whether a match of a knockout is over."""
    return any(result.pairing.decisive for result in results)


def _restore_late_leavers(entrants: Sequence[Entrant]) -> list[Entrant]:
    """The entrants as they were when the knockout was drawn."""
    return [
        replace(each, dropped=False, left=0, disqualified="")
        if each.left > KNOCKOUT_ROUND
        else each
        for each in entrants
    ]


def mark_cutoff(table: StandingsTable, through: int, drawn: Container[str]) -> StandingsTable:
    """The same table with a line after those that advance; without a line if others are ``drawn``
    for the knockout, because somebody has left."""
    rows = tuple(
        replace(row, note=row.note or "through") if row.name in drawn else row for row in table.rows
    )
    fits = all(name in drawn for name in table.names[:through])
    return replace(table, rows=rows, through=through if fits else 0)
