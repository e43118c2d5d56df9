"""A ladder: ratings decide the standings, and the most informative matches are played next."""

from __future__ import annotations

import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from ludus.contest.model import Entrant, Pairing, Result, Rounds, Seed, StandingsTable
from ludus.contest.standings import compute_league_totals, rank_entrants
from ludus.lang import Text

if TYPE_CHECKING:  # few programs rate anything
    from ludus.rating.bradley_terry import RatedBout
    from ludus.rating.ratings import Ratings

PAUSED_ROUND_WAIT = 4.0
"""An entrant that pauses in one round is the first to be paired in the next."""
TITLE: Text = Text("Ladder", "天梯赛")


class Ladder(
    msgspec.Struct, frozen=True, tag="ladder", tag_field="name", forbid_unknown_fields=True
):
    """In each round every entrant plays once, against the most informative opponent.

    A round depends only on the results of the rounds before it, so a ladder that was stopped
    continues as if it had not been. It ends after ``rounds``, or earlier when every rating is known
    to ``enough`` Elo (95 %).

    With ``rounds = 0`` it is endless and has no rounds: what to play follows from the current
    ratings, for as long as there are two entrants. That is the ladder of a server.
    """

    rounds: Rounds = 30
    """0: endless."""
    enough: Annotated[float, msgspec.Meta(ge=0, le=10_000)] = 0.0
    """0: play all rounds."""
    seed: Seed = 42
    apart: tuple[tuple[str, ...], ...] = ()
    """Names of entrants that never meet each other: those of one owner, who could let one win. It
    cannot change later, because all rounds are planned again from it."""

    @property
    def endless(self) -> bool:
        return not self.rounds

    def pairings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> list[Pairing]:
        """The rest of the current round; on an endless ladder, each entrant once."""
        if self.endless:
            return self._plan_from_results(entrants, results)
        done = {result.id for result in results}
        gone = {entrant.name for entrant in entrants if entrant.dropped}
        for planned, _ in self.history(entrants, results):
            left = [p for p in planned if p.id not in done and gone.isdisjoint(p.entrants)]
            if left:
                return left
        return []

    def max_matches(self, entrants: Sequence[Entrant]) -> int:
        return self.rounds * (len(entrants) // 2)

    def _plan_from_results(
        self, entrants: Sequence[Entrant], results: Sequence[Result]
    ) -> list[Pairing]:
        """Pairs by current ratings; matches between the same two are numbered."""
        names = [entrant.name for entrant in entrants if not entrant.dropped]
        met = Counter(frozenset(result.pairing.entrants) for result in results)
        return self.plan_next(
            compute_ratings(names, results),
            _count_waits(names, results),
            len(results),
            lambda one, other: met[frozenset((one, other))] + 1,
        )

    def plan_next(
        self,
        known: Ratings,
        waited: Sequence[float],
        moment: int,
        number_of: Callable[[str, str], int],
        owners: Mapping[str, frozenset[int]] | None = None,
    ) -> list[Pairing]:
        """Each entrant of ``known`` once, or no pairings if enough is known.

        Entrants that share one of their ``owners`` do not meet (by default those of ``apart``): an
        owner of both could let one win. ``moment`` grows with what was played, and
        ``number_of(one, other)`` is the number of the next match of two.
        """
        from ludus.contest.matchmaking import choose_pairs

        if self.knows_enough(known):
            return []
        pairs = choose_pairs(
            known.elo,
            known.deviation,
            known.bouts,
            waited=waited,
            nu=known.nu,
            seed=self.seed * 1_000_003 + moment,
            related=self._forbidden_pairs(known.names, owners),
        )
        pairings = []
        for pair in pairs:
            one, other = sorted(known.names[index] for index in pair)
            number = number_of(one, other)
            seated = (one, other) if number % 2 else (other, one)
            pairings.append(Pairing(f"ladder/{one}/{other}/{number}", seated, title=TITLE))
        return pairings

    def _forbidden_pairs(
        self, names: Sequence[str], owners: Mapping[str, frozenset[int]] | None = None
    ) -> Callable[[int, int], bool] | None:
        """Whether two entrants, by their places among ``names``, must not meet; None: all may."""
        owners = owners or _index_groups(self.apart)
        if not owners:
            return None
        unowned: frozenset[int] = frozenset()
        known = [owners.get(name, unowned) for name in names]
        return lambda one, other: not known[one].isdisjoint(known[other])

    def current_round(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> int:
        """The round that is being played, 0 before the first result."""
        rounds = [planned[0].round for planned, played in self.history(entrants, results) if played]
        return max(rounds, default=0)

    def history(
        self, entrants: Sequence[Entrant], results: Sequence[Result]
    ) -> Iterator[tuple[list[Pairing], list[Result]]]:
        """The rounds so far with their results; each follows from those before it.

        A round that was played in other pairs, planned by another version of Ludus, stays as it
        was played.
        """
        by_id = {result.id: result for result in results}
        by_round: defaultdict[str, dict[str, Pairing]] = defaultdict(dict)
        for result in results:
            by_round["/".join(result.id.split("/", 2)[:2])][result.id] = result.pairing
        gone = {entrant.name for entrant in entrants if entrant.dropped}
        counted: list[Result] = []
        paused = {entrant.name: 0.0 for entrant in entrants}
        for number in range(1, self.rounds + 1):
            playing = [entrant.name for entrant in entrants if entrant.plays_in(number)]
            waited = tuple(1 + paused[name] for name in playing)
            planned = _plan_cached(self, number, tuple(playing), tuple(counted), waited)
            if planned is None:
                return
            stored = by_round[f"ladder/{number}"]
            if not stored.keys() <= {pairing.id for pairing in planned}:
                planned = list(stored.values())
            played = [by_id[p.id] for p in planned if p.id in by_id]
            yield planned, played
            if any(p.id not in by_id and gone.isdisjoint(p.entrants) for p in planned):
                return
            counted += sorted(played, key=lambda result: result.id)
            busy = set(itertools.chain.from_iterable(p.entrants for p in planned))
            for name in playing:
                paused[name] = 0.0 if name in busy else paused[name] + PAUSED_ROUND_WAIT

    def knows_enough(self, known: Ratings) -> bool:
        if not self.enough or len(known.names) < 2:
            return False
        return known.largest_margin <= self.enough

    def plan_round(self, number: int, known: Ratings, waited: tuple[float, ...]) -> list[Pairing]:
        from ludus.contest.matchmaking import choose_pairs

        pairs = choose_pairs(
            known.elo,
            known.deviation,
            known.bouts,
            waited=waited,
            nu=known.nu,
            seed=self.seed * 1_000_003 + number,
            related=self._forbidden_pairs(known.names),
        )
        title: Text = Text(f"Round {number}", f"第 {number} 轮")
        pairings = []
        for place, pair in enumerate(pairs):
            one, other = (known.names[index] for index in pair)
            seated = (one, other) if (place + number) % 2 else (other, one)
            name = f"ladder/{number}/{seated[0]}/{seated[1]}"
            pairings.append(Pairing(name, seated, round=number, title=title))
        return pairings

    def standings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> StandingsTable:
        """The table by rating; its points are the ratings."""
        counted = self._list_counted(entrants, results)
        totals = compute_league_totals(entrants, counted)
        table = rank_entrants(entrants, totals, title=TITLE)
        among = [each for each in counted if totals.keys() >= set(each.pairing.entrants)]
        known = compute_ratings(list(totals), among)
        return replace(rank_by_ratings(table, known), scale="elo")

    def _list_counted(
        self, entrants: Sequence[Entrant], results: Sequence[Result]
    ) -> Sequence[Result]:
        if self.endless:
            return results
        return [r for _, played in self.history(entrants, results) for r in played]

    def tables(
        self, entrants: Sequence[Entrant], results: Sequence[Result]
    ) -> list[StandingsTable]:
        return [self.standings(entrants, results)]


def rank_by_ratings(table: StandingsTable, known: Ratings) -> StandingsTable:
    """The rows in the order of their ratings, which are their points; those without a rating, the
    disqualified, stay at the end."""
    rated = [
        replace(table.row(each.name), rank=place, points=float(round(each.elo)))
        for place, each in enumerate(known.rank(), 1)
    ]
    names = {row.name for row in rated}
    return replace(table, rows=(*rated, *(row for row in table.rows if row.name not in names)))


def parse_match_number(id: str) -> int:
    """The number of a match of an endless ladder among those of its two entrants, from its id."""
    return int(id.rpartition("/")[2])


def _count_waits(names: Sequence[str], results: Sequence[Result]) -> list[float]:
    """How many matches ago each entrant played last."""
    last = dict.fromkeys(names, -1)
    for number, result in enumerate(results):
        for name in result.pairing.entrants:
            last[name] = number
    return [float(len(results) - last[name]) for name in names]


@functools.lru_cache(maxsize=512)
def _plan_cached(
    form: Ladder,
    number: int,
    names: tuple[str, ...],
    before: tuple[Result, ...],
    waited: tuple[float, ...],
) -> list[Pairing] | None:
    """A round, from the results of those before it; None if the ladder is over.

    Cached, because every question about a ladder computes all its rounds again.
    """
    known = compute_ratings(names, before)
    return None if form.knows_enough(known) else form.plan_round(number, known, waited)


def compute_ratings(names: Sequence[str], results: Sequence[Result]) -> Ratings:
    """Ratings from matches, each of which counts as its won, drawn and lost bouts."""
    from ludus.rating import bradley_terry

    return bradley_terry.rate(names, itertools.chain.from_iterable(map(_expand_bouts, results)))


def _expand_bouts(result: Result) -> Iterator[RatedBout]:
    """Seats alternate within a match, so that half of its bouts are counted either way round."""
    one, other = result.pairing.entrants
    drawn = result.bouts - sum(result.wins)
    scores = [1.0] * result.wins[0] + [0.5] * drawn + [0.0] * result.wins[1]
    for number, score in enumerate(scores):
        yield (one, other, score) if number % 2 == 0 else (other, one, 1 - score)


def _index_groups(groups: Sequence[Sequence[str]]) -> dict[str, frozenset[int]]:
    """The numbers of the groups that each name is in."""
    index: dict[str, set[int]] = {}
    for number, group in enumerate(groups):
        for name in group:
            index.setdefault(name, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in index.items()}


def separate_owners(form: Any, owners: Mapping[str, frozenset[int]]) -> Any:
    """A format in whose ladders, of whatever stage, entrants of one owner never meet."""
    if isinstance(form, Ladder):
        theirs: dict[int, list[str]] = {}
        for name, numbers in sorted(owners.items()):
            for number in numbers:
                theirs.setdefault(number, []).append(name)
        apart = tuple(tuple(names) for _, names in sorted(theirs.items()) if len(names) > 1)
        return msgspec.structs.replace(form, apart=apart)
    if isinstance(league := getattr(form, "league", None), Ladder):
        return msgspec.structs.replace(form, league=separate_owners(league, owners))
    return form
