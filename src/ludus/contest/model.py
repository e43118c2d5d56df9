"""The data of contests: entrants, pairings, results, tables."""

from __future__ import annotations

import secrets
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import msgspec

from ludus.errors import LudusError
from ludus.lang import Text

Cycles = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Rounds = Annotated[int, msgspec.Meta(ge=0, le=10_000)]
Places = Annotated[int, msgspec.Meta(ge=0, le=10_000)]
Seats = Annotated[int, msgspec.Meta(ge=2, le=16)]
Seed = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]


def draw_seed() -> int:
    """A seed for a contest for which none was chosen.

    All deals follow from it and from public names, and the seeds of bouts that were played are
    public too: it has too many bits to be found by trying.
    """
    return secrets.randbits(63)


LEAGUE, KNOCKOUT, THIRD, FINAL = "league", "knockout", "third", "final"
MAX_NAME_CHARS = 60


MatchEnding = Literal["played", "figure", "time", "extra", "seat", "lot", "timeout", "walkover"]
"""How the winner was found. ``played``: by wins, or there is none; ``figure`` and ``time``: wins
were equal, and the game's figures or the thinking time decided; ``extra``: extra bouts decided;
``seat``: they did not, and the rules prefer a seat; ``lot``: lots were drawn; ``timeout``: neither
side gets points; ``walkover``: an entrant was dropped."""
RowNote = Literal["", "through", "champion", "dropped", "disqualified"]
"""What a table says of an entrant beside its figures."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that takes part."""

    name: str
    seed: int = 0
    """Its place in the seeding, from 1; 0: behind those that have one, in order of entry."""
    group: str = ""
    """The group it was drawn into by hand, if any."""
    dropped: bool = False
    """It has left; its results still count, unless it was disqualified."""
    joined: int = 1
    """The first round it takes part in, for formats that pair round by round."""
    left: int = 0
    """The first round it takes no part in any more, if it was dropped."""
    disqualified: str = ""
    """Why it was disqualified; empty: it was not. It is dropped then, and its bouts do not
    count: the others are compared by the same matches."""

    def __post_init__(self) -> None:
        check_name(self.name)

    def plays_in(self, number: int) -> bool:
        """Whether it takes part in a round."""
        return self.joined <= number and not (self.dropped and number >= self.left)


def check_name(name: str) -> None:
    """Names stand in ids, file names and tables: refuse what would break one of them."""
    fit = 0 < len(name) <= MAX_NAME_CHARS and name == name.strip() and "/" not in name
    if not fit or any(unicodedata.category(c)[0] == "C" for c in name):
        raise LudusError(
            f"an entrant's name has 1 to {MAX_NAME_CHARS} visible characters and no '/',"
            f" got {name!r}",
            f"参赛者名称须为 1 到 {MAX_NAME_CHARS} 个可见字符且不含“/”，得到 {name!r}",
        )


@dataclass(frozen=True, slots=True)
class Pairing:
    """A match that a format asks for. Equal entrants and results give equal pairings, ids included.

    Its bouts come from ``match_bouts``; a worker gets them as a ``MatchSpec``.
    """

    id: str
    """Unique in its contest: stage, round and names, such as ``rr/1/ada/bob``."""
    entrants: tuple[str, ...]
    """The entrants, on the seats of its first bout."""
    stage: str = LEAGUE
    """``league``, ``knockout``, ``third`` or ``final``: each may have match rules of its own."""
    round: int = 1
    title: Text = field(default_factory=lambda: Text("", ""), compare=False)
    """What it is called: "Group E", "semi-final"."""

    @property
    def decisive(self) -> bool:
        """Whether there must be a winner."""
        return self.stage != LEAGUE


@dataclass(frozen=True, slots=True)
class Result:
    """A match that is over. The figures of entrants stand in the order of its pairing."""

    pairing: Pairing
    scores: tuple[float, ...]
    """Points of bouts: 1 for a win, ½ for a draw."""
    wins: tuple[int, ...]
    """Bouts won."""
    winner: int | None
    """Which entrant of the pairing won the match."""
    bouts: int
    figures: tuple[float, ...] = (0.0, 0.0)
    """The game's own figures (land, points) summed over the bouts."""
    seconds: tuple[float, ...] = (0.0, 0.0)
    """Thinking time."""
    ending: MatchEnding = "played"
    extra: int = 0
    """How many of the bouts were extra bouts, because the others had not decided."""

    @property
    def id(self) -> str:
        return self.pairing.id


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """One entrant's line in a table."""

    rank: int
    """From 1; equal ranks are equal."""
    name: str
    points: float
    wins: int
    draws: int
    losses: int
    """The numbers of matches."""
    scored: float
    bouts: int
    """Points of bouts, and bouts."""
    tie_breaks: tuple[float, ...] = ()
    """What decided between equal points, in the order of the table's criteria."""
    note: RowNote = ""
    why: str = ""
    """Why it was disqualified, if it was. It stands behind all others then, with no figures."""


@dataclass(frozen=True, slots=True)
class StandingsTable:
    """Standings, best first."""

    rows: tuple[StandingsRow, ...]
    criteria: tuple[str, ...] = ()
    """Names of the tie-breaks."""
    title: Text = field(default_factory=lambda: Text("", ""))
    through: int = 0
    """How many advance from here; 0 for none."""
    scale: Literal["points", "elo"] = "points"
    """The unit of the points in its rows."""
    bracket: bool = False
    """Places in a bracket, where few have met."""

    @property
    def names(self) -> list[str]:
        return [row.name for row in self.rows]

    @property
    def used_tie_breaks(self) -> tuple[int, ...]:
        """The places in ``criteria`` of tie-breaks that differ between entrants that have played.

        Points of bouts are in every row anyway.
        """
        places = []
        for place, name in enumerate(self.criteria):
            equal = Counter((r.points, *r.tie_breaks[:place]) for r in self.rows if r.bouts)
            if name != "bouts" and any(count > 1 for count in equal.values()):
                places.append(place)
        return tuple(places)

    def row(self, name: str) -> StandingsRow:
        return next(row for row in self.rows if row.name == name)


def list_disqualified(entrants: Iterable[Entrant]) -> dict[str, str]:
    """Whoever was disqualified, and why."""
    return {entrant.name: entrant.disqualified for entrant in entrants if entrant.disqualified}


def list_unplayed(
    plan: Sequence[Pairing], entrants: Sequence[Entrant], results: Sequence[Result]
) -> list[Pairing]:
    """The pairings of a plan without results, between entrants that were not dropped."""
    done = {result.id for result in results}
    gone = {entrant.name for entrant in entrants if entrant.dropped}
    return [each for each in plan if each.id not in done and gone.isdisjoint(each.entrants)]
