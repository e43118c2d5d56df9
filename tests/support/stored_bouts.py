"""A contest's settings, and bouts of it with a value in every column."""

from ludus.contest.bout_facts import BoutFacts
from ludus.contest.model import Pairing
from ludus.contest.settings import ContestSettings
from ludus.scheduling.bout_store import PlayedBout

PAIRING = Pairing("rr/1/ada/bob", ("ada", "bob"), title={"en": "Round robin", "zh": "循环赛"})
SETTINGS = ContestSettings(name="night", game="reversi", seed=3)


def facts(number: int, score: float = 1.0) -> BoutFacts:
    return BoutFacts(
        number=number,
        seed=2**47,
        names=("bob", "ada"),
        scores=(score, 1 - score),
        figures=(30.0, 34.0),
        cpu=(0.25, 0.5),
        wall=(1.0, 2.0),
        verdict="rules",
        reason={"en": "discs", "zh": "棋子"},
        faults=({"seat": 0, "kind": "crash", "why": {"en": "it broke", "zh": "坏了"}},),
        hung=False,
        plies=60,
        began="2026-01-01T00:00:00+00:00",
    )


def brought(number: int, score: float = 1.0) -> PlayedBout:
    return PlayedBout(PAIRING, facts(number, score), b"record %d" % number)
