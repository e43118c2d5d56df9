"""Swiss: in every round entrants with about equal points meet, never the same two twice.

How a round is paired, after the Dutch system of chess (FIDE C.04.3), with rules that give way in a
fixed order instead of its many exceptions:

1. With an odd number of entrants one pauses: the last of those that paused least, provided that
   the others can be paired without a repeat.
2. The strictest rules are chosen under which everyone can be paired at all: no repeats and no seat
   for the third time in a row (``must_sit_first``); without the rule for seats; with one repeat …
   ``Matching`` answers whether a perfect matching exists.
3. From the top of the table down, each entrant gets the best opponent that leaves the rest
   pairable: ``Matching.fix_pair`` refuses an opponent that would not. "Best" means: the same
   points; not both due the same seat; nearest to the middle of the group of equal points, so that
   the upper half meets the lower half. Because of step 2 there always is such an opponent, so the
   search never has to go back.
4. Seats: what an entrant must have, then what it is due, then who sat there less often.

Nothing is stored of earlier rounds: they are paired again from the results (``history``), which
gives the same pairs, because each round depends only on the rounds before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from ludus.contest.formats.matching import Matching
from ludus.contest.model import (
    Entrant,
    Pairing,
    Result,
    Rounds,
    Seed,
    StandingsTable,
    list_disqualified,
)
from ludus.contest.standings import (
    CHESS_POINTS,
    Points,
    compute_totals,
    rank_entrants,
    sort_by_seed,
)
from ludus.errors import LudusError
from ludus.lang import Text

TITLE: Text = Text("Swiss", "瑞士制")


@dataclass(slots=True)
class SwissEntrant:
    """One entrant's points, opponents and seats so far."""

    name: str
    points: float = 0.0
    opponents: Counter[str] = field(default_factory=Counter)
    firsts: list[bool] = field(default_factory=list)
    """Round by round, whether it sat first."""
    byes: int = 0

    @property
    def first_seat_balance(self) -> int:
        """How many times more it sat first than second."""
        return 2 * sum(self.firsts) - len(self.firsts)

    @property
    def must_sit_first(self) -> bool | None:
        """True: it has to sit first now; False: second; None: either will do.

        The numbers of times on each seat differ by at most two, and no entrant has the same seat
        three times in a row.
        """
        if self.first_seat_balance >= 2 or self.firsts[-2:] == [True, True]:
            return False
        if self.first_seat_balance <= -2 or self.firsts[-2:] == [False, False]:
            return True
        return None

    @property
    def should_sit_first(self) -> bool | None:
        """The seat it is due: the one it had less often, else not the one it had last."""
        if self.first_seat_balance:
            return self.first_seat_balance < 0
        return not self.firsts[-1] if self.firsts else None


@dataclass(frozen=True, slots=True)
class SwissRound:
    """The pairings of one round, and the results so far."""

    number: int
    pairings: tuple[Pairing, ...]
    bye: str | None
    results: tuple[Result, ...]

    @property
    def open_pairings(self) -> list[Pairing]:
        done = {result.id for result in self.results}
        return [pairing for pairing in self.pairings if pairing.id not in done]


class Swiss(msgspec.Struct, frozen=True, tag="swiss", tag_field="name", forbid_unknown_fields=True):
    """The upper half of each group of equal points meets its lower half (the Dutch system).

    Rules in order: no two meet twice; no entrant has a seat too often; as few as possible meet
    others with fewer points; seats alternate. A rule gives way only if not all could be paired
    otherwise. With an odd number the last that never paused pauses, for the points of a win. So do
    all who met an entrant that was disqualified, however that match ended; pairs of rounds that
    were played by then stay.
    """

    rounds: Rounds = 0
    """0: as many as it takes to find one winner, and two more."""
    points: Points = CHESS_POINTS
    tie_breaks: tuple[str, ...] = ("buchholz", "sonneborn-berger", "bouts")
    seed: Seed = 42

    def pairings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> list[Pairing]:
        """The matches of the current round without results."""
        for each in self.history(entrants, results):
            if open_pairings := each.open_pairings:
                return open_pairings
        return []

    def max_matches(self, entrants: Sequence[Entrant]) -> int:
        return self.rounds_for(len(entrants)) * (len(entrants) // 2)

    def current_round(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> int:
        """The round that is being played, 0 before the first result."""
        last = 0
        for each in self.history(entrants, results):
            if each.results:
                last = each.number
        return last

    def history(
        self, entrants: Sequence[Entrant], results: Sequence[Result]
    ) -> Iterator[SwissRound]:
        """The rounds so far, the last perhaps unfinished; each follows from those before it."""
        by_id = {result.id: result for result in results}
        gone = {entrant.name for entrant in entrants if entrant.dropped}
        cards = {entrant.name: SwissEntrant(entrant.name) for entrant in sort_by_seed(entrants)}
        played: list[Result] = []
        for number in range(1, self.rounds_for(len(entrants)) + 1):
            newly_out = {each.name for each in entrants if _is_first_without(each, number)}
            self._award_wins(cards, played, newly_out)
            playing = [cards[e.name] for e in sort_by_seed(entrants) if e.plays_in(number)]
            pairs, bye = pair_round(playing)
            pairings = [
                Pairing(f"swiss/{number}/{a}/{b}", (a, b), round=number, title=self._title(number))
                for a, b in pairs
            ]
            known = [by_id.get(p.id) or _make_walkover(p, gone) for p in pairings]
            this_round = SwissRound(
                number, tuple(pairings), bye, tuple(each for each in known if each is not None)
            )
            yield this_round
            if this_round.open_pairings:
                return
            self._record_round(cards, this_round)
            played += this_round.results

    def rounds_for(self, players: int) -> int:
        """The number of rounds for so many entrants."""
        if self.rounds:
            return self.rounds
        return min(max(0, players - 1), max(0, players - 1).bit_length() + 2)

    def _title(self, number: int) -> Text:
        return Text(f"Round {number}", f"第 {number} 轮")

    def _record_round(self, cards: dict[str, SwissEntrant], done: SwissRound) -> None:
        for result in done.results:
            names = result.pairing.entrants
            for place, name in enumerate(names):
                card = cards[name]
                card.points += self._match_points(result, place)
                card.opponents[names[1 - place]] += 1
                card.firsts.append(place == 0)
        if done.bye is not None:
            cards[done.bye].points += self.points[0]
            cards[done.bye].byes += 1

    def _award_wins(
        self, cards: dict[str, SwissEntrant], played: Sequence[Result], out: set[str]
    ) -> None:
        """Give the opponents of entrants that are now disqualified what a win is worth, in place of
        what they got, before the next round is paired."""
        for result in played:
            if out.isdisjoint(result.pairing.entrants):
                continue
            won = _make_walkover(result.pairing, out)
            assert won is not None
            for place, name in enumerate(result.pairing.entrants):
                change = self._match_points(won, place) - self._match_points(result, place)
                cards[name].points += change

    def _match_points(self, result: Result, place: int) -> float:
        if result.ending == "timeout":
            return 0.0
        if result.winner is None:
            return self.points[1]
        return self.points[0] if result.winner == place else self.points[2]

    def standings(self, entrants: Sequence[Entrant], results: Sequence[Result]) -> StandingsTable:
        names = [entrant.name for entrant in entrants]
        out = set(list_disqualified(entrants))
        counted: list[Result] = []
        byes: Counter[str] = Counter()
        for each in self.history(entrants, results):
            counted += [_make_walkover(result.pairing, out) or result for result in each.results]
            if each.bye is not None and each.results:
                byes[each.bye] += 1
        totals = compute_totals(names, counted, self.points, byes)
        return rank_entrants(entrants, totals, self.tie_breaks, seed=self.seed, title=TITLE)

    def tables(
        self, entrants: Sequence[Entrant], results: Sequence[Result]
    ) -> list[StandingsTable]:
        return [self.standings(entrants, results)]


def _is_first_without(entrant: Entrant, number: int) -> bool:
    """Whether it was disqualified, and this is the first round that it is not paired in."""
    return bool(entrant.disqualified) and number == max(1, entrant.left)


def _make_walkover(pairing: Pairing, gone: set[str]) -> Result | None:
    """The opponent of an entrant that is ``gone`` wins without playing; None if both are there."""
    if gone.isdisjoint(pairing.entrants):
        return None
    first, second = (name in gone for name in pairing.entrants)
    winner = None if first and second else int(first)
    return Result(pairing, (0.0, 0.0), (0, 0), winner, 0, ending="walkover")


# Pairing one round.


def pair_round(cards: Sequence[SwissEntrant]) -> tuple[list[tuple[str, str]], str | None]:
    """The pairs of a round, first seat first, and who pauses. ``cards`` are in seeding order."""
    order = sorted(cards, key=lambda card: -card.points)
    pause: SwissEntrant | None = None
    if len(order) % 2:
        pause = _choose_bye(order)
        order.remove(pause)
    if not order:
        return [], pause.name if pause else None
    table = RoundPairer(order)
    pairs = [
        _assign_seats(order[i], order[j], board) for board, (i, j) in enumerate(table.pair_all())
    ]
    return pairs, pause.name if pause else None


def _choose_bye(order: Sequence[SwissEntrant]) -> SwissEntrant:
    """The last of those that paused least, if the others can then be paired without a repeat."""
    fewest = min(card.byes for card in order)
    candidates = [card for card in reversed(order) if card.byes == fewest]
    for card in candidates:
        rest = [other for other in order if other is not card]
        if not rest or Matching(_build_graph(rest, repeats=0, seats=False)).perfect:
            return card
    return candidates[0]


def _build_graph(order: Sequence[SwissEntrant], *, repeats: int, seats: bool) -> list[set[int]]:
    """The pairs that may meet: met at most ``repeats`` times and, if ``seats``, free of a clash."""
    size = len(order)
    graph: list[set[int]] = [set() for _ in range(size)]
    for i in range(size):
        for j in range(i + 1, size):
            clash = (
                order[i].must_sit_first is not None
                and order[i].must_sit_first == order[j].must_sit_first
            )
            if order[i].opponents[order[j].name] <= repeats and not (seats and clash):
                graph[i].add(j)
                graph[j].add(i)
    return graph


class RoundPairer:
    """Pairs one round: the entrants by points, and a matching of those not paired yet."""

    def __init__(self, order: Sequence[SwissEntrant]) -> None:
        self.order = order
        self.matching = self._strictest_matching()
        self.groups = [0] * len(order)
        for place in range(1, len(order)):
            lower = order[place].points < order[place - 1].points
            self.groups[place] = self.groups[place - 1] + lower

    def _strictest_matching(self) -> Matching:
        """A matching under the strictest rules with which everyone can be paired."""
        most = max(card.opponents[other.name] for card in self.order for other in self.order)
        for repeats in range(most + 1):
            for seats in (True, False):
                matching = Matching(_build_graph(self.order, repeats=repeats, seats=seats))
                if matching.perfect:
                    return matching
        raise LudusError(
            f"{len(self.order)} entrants cannot be paired", f"无法为 {len(self.order)} 名参赛者配对"
        )

    def pair_all(self) -> list[tuple[int, int]]:
        """From the top down, each gets the best opponent that leaves the rest pairable."""
        pairs = []
        left = list(range(len(self.order)))
        while left:
            top = left[0]
            for other in self._by_preference(top, left):
                if other in self.matching.graph[top] and self.matching.fix_pair(top, other):
                    pairs.append((top, other))
                    left = [place for place in left if place not in (top, other)]
                    break
        return pairs

    def _by_preference(self, top: int, left: Sequence[int]) -> list[int]:
        """The possible opponents of ``top``, which is the first of those ``left``, best first."""
        group = [place for place in left if self.groups[place] == self.groups[top]]
        partner = (len(group) + 1) // 2  # the first of the lower half
        position = {place: number for number, place in enumerate(left)}

        def key(other: int) -> tuple[int, bool, int, int]:
            wishes = (self.order[top].should_sit_first, self.order[other].should_sit_first)
            clash = wishes[0] is not None and wishes[0] == wishes[1]
            away = position[other] - partner
            same = self.groups[other] == self.groups[top]
            return (
                self.groups[other] - self.groups[top],
                clash,
                abs(away) if same else position[other],
                -away,
            )

        return sorted(left[1:], key=key)


def _assign_seats(upper: SwissEntrant, lower: SwissEntrant, board: int) -> tuple[str, str]:
    """The pair with the one first that has the stronger claim; without claims, in turns."""
    for mine, theirs in (
        (upper.must_sit_first, lower.must_sit_first),
        (upper.should_sit_first, lower.should_sit_first),
    ):
        if mine is not None and mine != theirs:
            return _order_pair(upper, lower, mine)
        if mine is None and theirs is not None:
            return _order_pair(upper, lower, not theirs)
    if upper.first_seat_balance != lower.first_seat_balance:
        return _order_pair(upper, lower, upper.first_seat_balance < lower.first_seat_balance)
    for mine, theirs in zip(reversed(upper.firsts), reversed(lower.firsts), strict=False):
        if mine != theirs:
            return _order_pair(upper, lower, not mine)
    return _order_pair(upper, lower, board % 2 == 0)


def _order_pair(upper: SwissEntrant, lower: SwissEntrant, upper_first: bool) -> tuple[str, str]:
    return (upper.name, lower.name) if upper_first else (lower.name, upper.name)
