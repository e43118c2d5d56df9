"""Films a bout in the thread that plays or replays it, and passes the film on step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Protocol

from ludus.games.base import Game, Position
from ludus.games.registry import get
from ludus.match.referee import BoutEnded, BoutEvent, BoutStarted, MovesPlayed
from ludus.server.live.film import Film, FilmEncoder, describe_end
from ludus.server.live.film_schemas import BoutEnd, FilmKind, MatchPlace

BeginKind = Literal["film", "restart"]


class FilmTarget(Protocol):
    """Takes the films of one bout, one for each audience."""

    id: str
    kind: FilmKind
    match: MatchPlace | None
    timed: bool

    def begin(self, films: dict[int | None, Film], kind: BeginKind) -> None: ...
    def add_step(self, steps: Mapping[int | None, bytes]) -> None: ...
    def finish(self, end: BoutEnd) -> None: ...


class LiveBoutReporter:
    """A referee's ``watch`` that films a bout in the thread that calls it."""

    def __init__(
        self,
        target: FilmTarget,
        post: Callable[..., Any],
        *,
        skip: int = 0,
        kind: BeginKind = "film",
        seats: bool = True,
    ) -> None:
        """``post`` calls a function with arguments in the thread to which the target belongs. The
        first ``skip`` steps are shown all at once. ``seats``: also film what each seat sees of a
        hidden game, not only what spectators see."""
        self.target, self.post, self.skip, self.kind = target, post, skip, kind
        self.seats = seats
        self.step_count = 0
        self._films: dict[int | None, Film] = {}
        self._encoders: dict[int | None, FilmEncoder] = {}

    def __call__(self, event: BoutEvent, position: Position) -> None:
        match event:
            case BoutStarted():
                self.step_count = 0
                self._encoders = self._create_encoders(event, position)
                self._films = {who: Film(e.beginning) for who, e in self._encoders.items()}
                if not self.skip:
                    self._begin()
            case MovesPlayed():
                self._add_step(event, position)
            case BoutEnded(record=record):
                self.post(self.target.finish, describe_end(get(record.game), record))

    def _add_step(self, event: MovesPlayed, position: Position) -> None:
        self.step_count += 1
        steps = {
            who: encoder.encode_step(event.moves, event.spent, position)
            for who, encoder in self._encoders.items()
        }
        if self.step_count > self.skip:
            self.post(self.target.add_step, steps)
            return
        for who, step in steps.items():
            self._films[who].append(step)
        if self.step_count == self.skip:
            self._begin()

    def _begin(self) -> None:
        self.post(self.target.begin, self._films, self.kind)

    def _create_encoders(
        self, started: BoutStarted, position: Position
    ) -> dict[int | None, FilmEncoder]:
        """One encoder for each audience; None stands for the spectators."""
        game: Game = get(started.game)
        seats = range(len(game.seats)) if game.hidden and self.seats else ()
        audiences: Iterable[int | None] = (None, *seats)
        return {
            seat: FilmEncoder(
                self.target.id,
                self.target.kind,
                game,
                started,
                position,
                seat=seat,
                secret=game.hidden,
                timed=self.target.timed,
                match=self.target.match,
            )
            for seat in audiences
        }
