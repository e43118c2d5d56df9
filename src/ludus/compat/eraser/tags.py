"""The original's tags for a game: one or two words, each with a colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

MIN_TAGGED_TURNS = 6
"""Games with fewer turns get no tags."""

Tag = list[str]


def make_tags(
    scores: tuple[int, int],
    relative: Sequence[int],
    length: int,
    winner: int,
    failed: int | None,
    ending: str,
    combo: int,
) -> list[Tag]:
    """The tags in the original's order. ``scores`` are by side; ``relative`` is the history of
    right minus left; ``failed`` is the side that failed, ``ending`` otherwise the reason."""
    difference = abs(scores[0] - scores[1])
    tags = list(_course(difference, relative, length))
    if failed is None:
        tags += _finish(difference, relative, length, winner, ending)
    elif (relative[-1] > 0) == (failed == 1) and relative[-1] != 0:
        tags.append(["是故意的", "orange"])
    return [*tags, [f"{combo}连消", "gray"]]


def _course(difference: int, relative: Sequence[int], length: int) -> Iterator[Tag]:
    lead = sum(each < 0 for each in relative) / length
    mean = sum(relative) / len(relative)
    if difference < 15:
        yield ["险胜", "red"]
    if abs(lead - 0.5) < 0.15 and abs(mean) < 100:
        yield ["有来有回", "blue"]
    if abs(lead - 0.5) > 0.4 and abs(mean) > 150:
        yield ["压制", "blue"]


def _finish(
    difference: int, relative: Sequence[int], length: int, winner: int, ending: str
) -> Iterator[Tag]:
    if difference > 250:
        yield ["遥遥领先", "red"]
    if relative[-1] * relative[-2] < 0 or relative[-2] * relative[-3] < 0:
        yield ["绝杀", "purple"]
    behind = [each > 200 for each in relative] if winner == 0 else [e < -200 for e in relative]
    if sum(behind) >= 5:
        yield ["逆风翻盘", "green"]
    if ending == "stuck":
        last_mover_won = winner == length & 1
        if last_mover_won and abs(relative[-1]) < 50:
            yield ["不讲武德", "orange"]
        if not last_mover_won:
            yield ["申之一手", "orange"]
    if ending == "turns":
        yield ["血战到底", "orange"]
