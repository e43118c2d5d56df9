"""The openings of a contest's bouts.

A format and the rules of a match say which bouts are to be played; their openings are drawn when
they are about to be played. Both bouts of a mirrored pair get the same one, and the seeds of a
match are chosen so that its openings do not repeat (``ludus.games.openings``).
"""

from __future__ import annotations

import dataclasses

from ludus.contest.match_bouts import BoutBatch, MatchRules, is_mirrored_extra_bout
from ludus.games.openings import Openings
from ludus.match.series import PlannedBout


def draw_openings(
    batch: BoutBatch, rules: MatchRules, openings: Openings, contest_seed: int
) -> tuple[PlannedBout, ...]:
    """The bouts of a batch with their openings and final seeds."""
    match = f"{contest_seed}/{batch.pairing.id}"
    seats = len(batch.pairing.entrants)
    return tuple(
        _draw_opening(bout, openings, match, mirrored_group(rules, bout.number, seats))
        for bout in batch.bouts
    )


def _draw_opening(bout: PlannedBout, openings: Openings, match: str, group: int) -> PlannedBout:
    seed = openings.choose_seed(bout.seed, match, group)
    return dataclasses.replace(bout, seed=seed, opening=openings.draw(seed))


def mirrored_group(rules: MatchRules, number: int, seats: int) -> int:
    """The number of the group of bouts on one seed that a bout of a match belongs to."""
    if number >= rules.bouts:
        mirrored = is_mirrored_extra_bout(rules, number, seats)
        return rules.bouts + (number - rules.bouts) // seats if mirrored else number
    if rules.seats == "mirrored":
        return number // seats
    return number % rules.half_bouts if rules.seats == "halves" else number
