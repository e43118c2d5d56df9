"""How often do 95 % intervals hold the truth? ``python -m bench.intervals [MATCHES]``.

Simulated bots of a known gap play mirrored pairs; openings favour one seat or the other. The last
columns compare 95 % intervals of 200 pairs: from pairs, and from the same bouts one by one.
"""

from __future__ import annotations

import sys

import numpy as np

from ludus.rating.intervals import share_interval
from ludus.rating.scores import PairedScore, WinDrawLoss
from tests.support.pair_frequencies import kind_frequencies, result_frequencies, share_covered

Case = tuple[float, float, float, float]
CASES: dict[str, Case] = {
    "equal bots": (0, 0.0, 0, 0),
    "equal bots, half of the bouts drawn": (0, 2.0, 0, 0),
    "equal bots, openings decide": (0, 0.5, 350, 0),
    "100 Elo": (100, 0.5, 50, 0),
    "200 Elo, openings decide": (200, 0.5, 350, 0),
    "400 Elo": (400, 0.2, 50, 0),
    "400 Elo, the first seat decides": (400, 0.2, 100, 500),
    "50 Elo, four of five bouts drawn": (50, 8.0, 50, 0),
    "800 Elo": (800, 0.0, 0, 0),
}
"""Strength, draws (ν), how far openings lean, and the first seat's advantage, as simulated."""
PAIRS = (5, 10, 20, 50, 200)


def widths(case: Case, pairs: int = 200) -> tuple[float, float]:
    """Of the interval of the share, from pairs and from bouts one by one, in per cent."""
    kinds = np.rint(kind_frequencies(*case) * pairs).astype(int)
    results = result_frequencies(*case)
    lost, drawn, won = np.rint((results.sum(0) + results.sum(1)) * pairs).astype(int)
    scores = PairedScore(tuple(map(int, kinds))), WinDrawLoss(int(won), int(drawn), int(lost))
    paired, alone = (high - low for low, high in (share_interval(one) for one in scores))
    return 100 * paired, 100 * alone


def main() -> None:
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print("| bots |", *(f"{pairs} pairs |" for pairs in PAIRS), "width | without pairs |")
    print("|---|", "---|" * (len(PAIRS) + 2), sep="")
    for name, case in CASES.items():
        shares = [share_covered(kind_frequencies(*case), pairs, matches) for pairs in PAIRS]
        width, alone = widths(case)
        print(
            f"| {name} |",
            *(f"{share:.1%} |" for share in shares),
            f"{width:.1f} % | {alone:.1f} % |",
            flush=True,
        )


if __name__ == "__main__":
    main()
