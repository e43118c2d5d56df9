"""A contest costs hardly more than the match it consists of."""

from __future__ import annotations

from bench.contest import measure


def test_bouts_of_trivial_bots_run_at_90_per_cent_of_the_rate_of_a_match() -> None:
    _, by_cpu = measure("duel2048", 60, 2)
    assert by_cpu >= 0.9
