"""Replays a bout of another process from its referee's events."""

from __future__ import annotations

from ludus.games.base import Position
from ludus.games.registry import get
from ludus.match.referee import BoutEvent, BoutObserver, BoutStarted, MovesPlayed


class EventReplay:
    """Replays a bout's events and calls an observer with each event and the position after it.

    Events are sent without positions: a position is large, and it follows from the moves.
    """

    def __init__(self, observer: BoutObserver) -> None:
        self._observer = observer
        self._position: Position | None = None

    def __call__(self, event: BoutEvent) -> None:
        """Take the next event; the first must be the bout's start."""
        match event:
            case BoutStarted():
                game = get(event.game)
                self._position = game.start(game.Options.parse(event.options), event.seed)
            case MovesPlayed(moves=moves) if self._position is not None:
                self._position.play(moves)
        if self._position is not None:
            self._observer(event, self._position)
