"""A contest in memory: bouts are added; pairings, tables and ratings follow from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ludus.contest import match_bouts as bouts
from ludus.contest.bout_facts import BoutFacts
from ludus.contest.ending_words import Decision, describe_ending
from ludus.contest.formats import Ladder, current_round, get_bracket, next_round
from ludus.contest.formats.bracket import FilledNode
from ludus.contest.formats.ladder import rank_by_ratings
from ludus.contest.match_bouts import BoutBatch, BoutScore, MatchState
from ludus.contest.model import Entrant, Pairing, Result, StandingsTable, list_disqualified
from ludus.contest.settings import ContestSettings
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.rating.copies import describe_copies, drop_copies, find_copies

if TYPE_CHECKING:  # few programs rate anything
    from ludus.contest.ladder_tallies import LadderTallies
    from ludus.rating.ratings import Ratings

Anchor = tuple[str, float]
"""An entrant whose rating is fixed, and the rating."""


class Ledger:
    """What was played, and what follows from it by the format and the match rules."""

    def __init__(self, settings: ContestSettings, entrants: Sequence[Entrant]) -> None:
        self.settings = settings
        self.entrants = list(entrants)
        self.pairings: dict[str, Pairing] = {}
        """Matches of which at least one bout was played."""
        self.bouts: dict[tuple[str, int], BoutFacts] = {}
        self._scores: dict[str, dict[int, BoutScore]] = {}
        self._results: dict[str, Result] = {}
        self._open: list[Pairing] | None = None

    def add(self, pairing: Pairing, facts: BoutFacts) -> None:
        """Count a bout."""
        self.pairings.setdefault(pairing.id, pairing)
        known = self.pairings[pairing.id]
        self.bouts[pairing.id, facts.number] = facts
        scores = self._scores.setdefault(pairing.id, {})
        scores[facts.number] = score_bout(known, facts)
        if pairing.id in self._results or not self._could_be_over(known, len(scores)):
            return
        if result := self.match_state(known).result:
            self._results[pairing.id] = result
            self._mark_match_over(known)

    def with_entrants(self, entrants: Sequence[Entrant]) -> Ledger:
        """The same bouts, with what is known of the entrants now."""
        found = Ledger(self.settings, entrants)
        for (match, _), facts in self.bouts.items():
            found.add(self.pairings[match], facts)
        return found

    def add_tallies(self, tallies: LadderTallies) -> None:
        """Totals that were stored with bouts; a ledger that keeps all bouts needs none."""

    def _could_be_over(self, pairing: Pairing, played: int) -> bool:
        """Whether a bout can end the match; very long matches are not checked after each."""
        rules = self.settings.rules_for_pairing(pairing)
        return played >= rules.bouts or rules.early_end or rules.timeout == "match"

    @property
    def results(self) -> list[Result]:
        """Matches that are over."""
        return list(self._results.values())

    def match_state(self, pairing: Pairing) -> MatchState:
        known = self._scores.get(pairing.id, {})
        return bouts.compute_state(
            self.settings.rules_for_pairing(pairing), pairing, known, self.settings.seed
        )

    def describe_decision(self, pairing: Pairing | None, result: Result | None) -> Decision:
        """How a match was decided; ``pairing`` is None if it is not known who plays it.

        Extra bouts stay in the ledger if a regular bout is judged anew and decides the match; its
        result counts none of them.
        """
        if result is not None:
            ending, extra = result.ending, result.extra
        else:
            ending, extra = None, self._count_extra_bouts(pairing) if pairing else 0
        return Decision(ending, extra, describe_ending(ending, extra))

    def _count_extra_bouts(self, pairing: Pairing) -> int:
        """The extra bouts of a match that were played so far."""
        regular = self.settings.rules_for_pairing(pairing).bouts
        return sum(number >= regular for number in self._scores.get(pairing.id, ()))

    def open_pairings(self) -> list[Pairing]:
        """Matches to be played now, the most urgent first; none when the contest is over."""
        if self._open is None:
            self._open = self._plan_pairings()
            if self.is_endless:
                self._open = list(dict.fromkeys([*self._started_pairings(), *self._open]))
        return self._open

    def _plan_pairings(self) -> list[Pairing]:
        """The pairings of the format."""
        return self.settings.format.pairings(self.entrants, self.results)

    @property
    def is_endless(self) -> bool:
        """A ladder whose pairings follow from the ratings of the moment."""
        form = self.settings.format
        return isinstance(form, Ladder) and form.endless

    def _mark_match_over(self, pairing: Pairing) -> None:
        """A match is over: pairings are computed again, on an endless ladder after a while."""
        if not self.is_endless or self._open is None:
            self._open = None
            return
        self._open = [each for each in self._open if each.id != pairing.id]
        if len(self._open) <= sum(not entrant.dropped for entrant in self.entrants) // 4:
            self._open = None

    def _started_pairings(self) -> list[Pairing]:
        """Matches that have begun, which an endless ladder would not pair again."""
        gone = {entrant.name for entrant in self.entrants if entrant.dropped}
        return [
            pairing
            for id, pairing in self.pairings.items()
            if id not in self._results and gone.isdisjoint(pairing.entrants)
        ]

    def playable_batches(self) -> Iterator[BoutBatch]:
        """The bouts to play now, in order."""
        for pairing in self.open_pairings():
            yield from self.match_state(pairing).batches

    @property
    def is_over(self) -> bool:
        return not self.open_pairings()

    def standings(self) -> StandingsTable:
        return self._rank_ladder(self.settings.format.standings(self.entrants, self.results))

    def tables(self) -> list[StandingsTable]:
        tables = self.settings.format.tables(self.entrants, self.results)
        return [self._rank_ladder(table) for table in tables]

    def _rank_ladder(self, table: StandingsTable) -> StandingsTable:
        """The table of a ladder by ``ratings``; of any other format as it is. The format itself
        knows the results of matches only, and neither mirrored pairs nor copies."""
        if not isinstance(self.settings.format, Ladder):
            return table
        return rank_by_ratings(table, self.ratings())

    def bracket(self) -> list[FilledNode]:
        return get_bracket(self.settings.format, self.entrants, self.results)

    def round(self) -> int:
        return current_round(self.settings.format, self.entrants, self.results)

    def next_round(self) -> int:
        """The first round without an entrant that leaves now."""
        return next_round(self.settings.format, self.entrants, self.results)

    def ratings(self, anchor: Anchor | None = None) -> Ratings:
        """Ratings from every bout that was played, those of matches under way included; copies
        count once. The disqualified have none, and their bouts do not count.

        ``anchor`` fixes the rating of one entrant; without it the mean is 0.
        """
        from ludus.rating import plackett_luce

        out = list_disqualified(self.entrants).keys()
        names = [entrant.name for entrant in self.entrants if entrant.name not in out]
        bouts = drop_copies(
            (facts.key, facts) for facts in self.bouts.values() if out.isdisjoint(facts.names)
        )
        seats = max((len(facts.names) for facts in bouts), default=2)
        if seats == 2:
            ratings = _rate_two_seats(names, bouts)
        else:
            ratings, _ = plackett_luce.rate(names, ((f.names, f.scores) for f in bouts), seats)
        return ratings if anchor is None else ratings.anchor_to(*self._check_anchor(anchor))

    def find_copies(self) -> set[tuple[str, int]]:
        """The bouts, by match and number, that are copies of others; ratings leave them out."""
        copies = find_copies([facts.key for facts in self.bouts.values()])
        return {id for id, copy in zip(self.bouts, copies, strict=True) if copy}

    def describe_copies(self) -> Text | None:
        """A sentence about bouts that are copies; None if there are none."""
        copies = len(self.find_copies())
        return describe_copies(copies, len(self.bouts), contest=True) if copies else None

    def _check_anchor(self, anchor: Anchor) -> Anchor:
        if anchor[0] not in [entrant.name for entrant in self.entrants]:
            raise LudusError(
                f"the anchor {anchor[0]!r} is not an entrant", f"基准 {anchor[0]!r} 不是参赛者"
            )
        return anchor


def _rate_two_seats(names: Sequence[str], bouts: Sequence[BoutFacts]) -> Ratings:
    from ludus.rating.paired_ratings import rate_seeded

    return rate_seeded(names, ((*f.names, f.scores[0], f.seed) for f in bouts))  # type: ignore[misc]


def score_bout(pairing: Pairing, facts: BoutFacts) -> BoutScore:
    """A bout's facts in the order of its pairing."""
    seats = [facts.names.index(name) for name in pairing.entrants]
    return BoutScore(
        number=facts.number,
        scores=tuple(facts.scores[seat] for seat in seats),
        figures=tuple(facts.figures[seat] for seat in seats),
        seconds=tuple(facts.cpu[seat] for seat in seats),
        hung=facts.hung,
    )
