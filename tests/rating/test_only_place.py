"""Nothing outside the room computes an Elo or an interval of its own."""

import re
from pathlib import Path

import ludus

SOURCE = Path(ludus.__file__).parent
STATISTICS = re.compile(
    r"Z_SCORE_95|TAILS_95|\b1\.96\b|\b1\.9599|\berfc?\(|lgamma|NormalDist"
    r"|\b400(\.0)? [*/] math\.log|/ 400(\.0)?\)"
)
"""What an estimate of strength is made from."""


def find_statistics(folder: Path) -> list[str]:
    return [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in sorted(folder.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if STATISTICS.search(line)
    ]


def test_every_estimate_is_made_in_the_room_of_ratings() -> None:
    rooms = [each for each in SOURCE.iterdir() if each.is_dir() and each.name != "rating"]
    assert [line for room in rooms for line in find_statistics(room)] == []
    assert len(find_statistics(SOURCE / "rating")) >= 5, "the pattern finds what it looks for"
