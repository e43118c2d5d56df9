"""Takes corners and avoids the cells beside them. 占角，避开角旁的格子。"""

from collections.abc import Mapping
from typing import Any

from ludus.compat.saiblo.sdk.ai import Start, Turn, run

WORTH = [
    [99, -20, 10, 5, 5, 10, -20, 99],
    [-20, -40, -2, -2, -2, -2, -40, -20],
    [10, -2, 1, 0, 0, 1, -2, 10],
    [5, -2, 0, 1, 1, 0, -2, 5],
    [5, -2, 0, 1, 1, 0, -2, 5],
    [10, -2, 1, 0, 0, 1, -2, 10],
    [-20, -40, -2, -2, -2, -2, -40, -20],
    [99, -20, 10, 5, 5, 10, -20, 99],
]


class Corners:
    def start(self, start: Start) -> None:
        self.seat = start.seat

    def move(self, turn: Turn) -> str:
        clicks = turn.view["gestures"][str(self.seat)]
        best: Mapping[str, Any] = max(clicks, key=lambda at: WORTH[at["row"]][at["column"]])
        return str(best["move"])


if __name__ == "__main__":
    run(Corners())
