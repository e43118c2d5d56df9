"""Shows a bout that another process plays, from the referee's events alone."""

from __future__ import annotations

from ludus.games.base import Position
from ludus.games.registry import get
from ludus.match.referee import BoutEvent, BoutObserver, BoutStarted, MovesPlayed


class EventReplay:
    """Plays a bout's events again and calls an observer with each and the position after it.

    Events travel without positions: a position is as large as a bout, and follows from its moves.
    """

    def __init__(self, observer: BoutObserver) -> None:
        self._observer = observer
        self._position: Position | None = None

    def __call__(self, event: BoutEvent) -> None:
        """The next event, the first being the bout's start."""
        match event:
            case BoutStarted():
                game = get(event.game)
                self._position = game.start(game.Options.parse(event.options), event.seed)
            case MovesPlayed(moves=moves) if self._position is not None:
                self._position.play(moves)
        if self._position is not None:
            self._observer(event, self._position)
