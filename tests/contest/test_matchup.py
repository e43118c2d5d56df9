"""Head to head: parts add up to the whole, and copies count once."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.contest.matchup import MatchupBout, make_matchup_bout, summarize_matchup
from ludus.rating.copies import UNKNOWN, BoutKey
from ludus.rating.elo import estimate_elo
from ludus.rating.scores import PairedScore
from tests.support.bouts import bout as play_bout


def bout(
    number: int, seat: int, score: float, opening: str = "", version: str = "v1"
) -> MatchupBout:
    return MatchupBout(
        source=f"bout-{number}",
        seat=seat,
        score=score,
        seed=number // 2,
        opening=tuple(opening.split()),
        versions=(version, "rival"),
        began=f"2026-01-01T00:00:{number:02d}Z",
        key=UNKNOWN,
    )


BOUTS = st.lists(
    st.builds(
        bout,
        st.integers(0, 50),
        st.integers(0, 1),
        st.sampled_from([0.0, 0.5, 1.0]),
        st.sampled_from(["", "d3", "d3 c5"]),
        st.sampled_from(["v1", "v2"]),
    ),
    max_size=30,
)


@given(BOUTS)
@settings(max_examples=50)
def test_the_parts_add_up(bouts: list[MatchupBout]) -> None:
    found = summarize_matchup(bouts)
    assert found.score.bouts == len(bouts) == len(found.course)
    for parts in (found.seats, [each.score for each in found.versions]):
        assert sum(part.bouts for part in parts) == len(bouts)
        assert sum(part.won for part in parts) == found.score.won
    assert sum(each.score.bouts for each in found.openings) == sum(bool(b.opening) for b in bouts)
    if bouts:
        assert found.course[-1] == found.score.share


def test_the_estimate_is_that_of_ludus_match() -> None:
    scores = [1.0, 0.0, 1.0, 1.0, 0.5, 0.0]
    found = summarize_matchup(bout(n, n % 2, score) for n, score in enumerate(scores))
    same = estimate_elo(PairedScore.from_bouts((n // 2, n % 2, s) for n, s in enumerate(scores)))
    assert (found.elo, found.low, found.high) == same


def test_the_openings_each_loses_come_worst_first() -> None:
    found = summarize_matchup(
        [
            bout(0, 0, 0.0, "d3 c5"),
            bout(1, 1, 0.0, "d3 c5"),
            bout(2, 0, 0.5, "d3 e3"),
            bout(3, 1, 0.0, "d3 e3"),
            bout(4, 0, 1.0, "d3 c3"),
            bout(5, 1, 0.5, "c4 c3"),
            bout(6, 0, 1.0),
        ]
    )
    assert [each.opening for each in found.lost_openings()] == [("d3", "c5"), ("d3", "e3")]
    assert [each.opening for each in found.won_openings()] == [("d3", "c3")]
    assert found.openings[0].sources == ("bout-0", "bout-1")


def test_copies_count_once() -> None:
    import msgspec

    same = [
        msgspec.structs.replace(bout(n, 0, 1.0), key=BoutKey("start", "moves")) for n in range(4)
    ]
    found = summarize_matchup(same)
    assert (found.score.bouts, found.copies) == (1, 3)


def test_two_copies_of_one_program_are_level() -> None:
    """Their bouts on swapped seats are the same, and either wins one of them."""
    record = play_bout(bots=("greedy", "greedy"))
    bouts = [make_matchup_bout(record, seat, str(seat)) for seat in (0, 1)]
    found = summarize_matchup(bouts)
    assert (found.copies, found.score.share) == (0, 0.5)


def test_without_bouts_there_is_no_estimate() -> None:
    found = summarize_matchup([])
    assert found.elo is None and found.score.bouts == 0 and found.course == []
