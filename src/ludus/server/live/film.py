"""A bout as the page sees it: one whole frame, then the changes of every step.

Records, bouts under way, rooms and files of the originals all become the same kind of film. A
step is encoded once, when it happens, however many people are sent it afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec import UNSET

from ludus.bots.players.base import TimeSpent
from ludus.games.base import Game, Position
from ludus.games.host import Ply
from ludus.lang import Text
from ludus.match import verdict
from ludus.match.record import Record, load_game
from ludus.match.referee import BoutStarted
from ludus.match.replay import replay_steps
from ludus.server.live.board_schemas import BoardFrame, BoardScene, FrameChanges
from ludus.server.live.film_schemas import (
    BoutEnd,
    FilmGame,
    FilmInfo,
    FilmKind,
    FilmPlayer,
    FilmRights,
    FilmStep,
    MatchPlace,
    SeatFaultInfo,
)

FRAME_PARTS = ("phase", "to_move", "counters", "bars", "marks")
"""The parts of a frame besides its layers and events."""
HUMAN_ISOLATION = "human"
"""The isolation of a seat on which a person sits."""

encode = msgspec.json.encode


def make_frame(view: Mapping[str, Any]) -> BoardFrame:
    """A view without its gestures."""
    return {
        "layers": view["layers"],
        "phase": view["phase"],
        "to_move": view["to_move"],
        "counters": view.get("counters", {}),
        "bars": view.get("bars", {}),
        "marks": view.get("marks", {}),
        "events": view.get("events", []),
    }


def diff_cells(old: Sequence[str], new: Sequence[str]) -> list[list[Any]]:
    """``[cell, token]`` for each cell of a layer that is not what it was."""
    if old == new:
        return []
    pairs = zip(old, new, strict=True)
    return [[cell, token] for cell, (was, token) in enumerate(pairs) if was != token]


class FrameDiffer:
    """Compares a position that is being played with its last frame."""

    def __init__(self, position: Position, seat: int | None = None) -> None:
        self.seat = seat
        self.first_frame = make_frame(position.view(seat))
        self._last_frame: dict[str, Any] = dict(self.first_frame)
        self._position_has_changes = hasattr(position, "changes")
        self._last_position = position.copy() if self._position_has_changes else None

    def next_step(self, position: Position) -> FilmStep:
        """The changes since the last call, without moves and times."""
        step, layers = self._compare(position)
        self._last_frame |= {**step.set, "layers": layers}
        if self._position_has_changes:
            self._last_position = position.copy()
        return step

    def preview_step(self, position: Position) -> FilmStep:
        """The changes to a position that may come next; the last frame stays the same."""
        return self._compare(position)[0]

    def _compare(self, position: Position) -> tuple[FilmStep, Any]:
        """The step to a position, and the layers of its frame."""
        view, cells = self._view_and_changed_cells(position)
        news: dict[str, Any] = {}
        for name in FRAME_PARTS:
            value = view.get(name, {})
            if value != self._last_frame[name]:
                news[name] = value
        step = FilmStep(
            moves={},
            cpu={},
            wall={},
            cells=cells,
            set=cast(FrameChanges, news),
            events=view.get("events", []),
            log=view.get("log") or UNSET,
            display=view.get("display", UNSET),
            told=view.get("told") or UNSET,
        )
        return step, view.get("layers", self._last_frame["layers"])

    def _view_and_changed_cells(self, position: Position) -> tuple[dict[str, Any], dict[str, Any]]:
        if self._position_has_changes:
            view = position.changes(self._last_position, self.seat)  # type: ignore[attr-defined]
            return view, {name: cells for name, cells in view["cells"].items() if cells}
        view = position.view(self.seat)
        shown = self._last_frame["layers"]
        pairs = ((name, diff_cells(shown[name], cells)) for name, cells in view["layers"].items())
        return view, {name: cells for name, cells in pairs if cells}


class RemainingTimes:
    """The clock time left to each seat, computed from its moves."""

    def __init__(self, started: BoutStarted) -> None:
        self.clock = started.clock
        time0 = started.time0 or [0.0] * len(started.bots)
        self.left = [self.clock.budget - start for start in time0]

    def charge(self, spent: Mapping[int, TimeSpent]) -> list[float]:
        for seat, used in spent.items():
            seconds = used.cpu if self.clock.measure == "cpu" else used.wall
            self.left[seat] += self.clock.increment - seconds
        return [round(seconds, 3) for seconds in self.left]


class Film:
    """One bout for one audience, growing step by step."""

    def __init__(self, beginning: FilmInfo) -> None:
        """``beginning``: the film without its steps."""
        self.beginning = beginning
        self.steps: list[msgspec.Raw] = []
        self.end: BoutEnd | None = None
        self._last_frame: dict[str, Any] = {}
        self._applied_steps = 0

    @classmethod
    def from_info(cls, info: FilmInfo) -> Film:
        """A film received from another process, with its encoded steps."""
        film = cls(msgspec.structs.replace(info, steps=[], end=None))
        film.steps, film.end = cast(list[msgspec.Raw], list(info.steps)), info.end
        return film

    def append(self, step: bytes | msgspec.Raw) -> None:
        """Append one step, given as JSON."""
        self.steps.append(msgspec.Raw(step))

    @property
    def last_frame(self) -> BoardFrame:
        """The last frame, whole."""
        first = self.beginning.key
        if not self._last_frame:
            layers = {name: list(cells) for name, cells in first["layers"].items()}
            self._last_frame = {**first, "layers": layers}
        for step in self.steps[self._applied_steps :]:
            changes = msgspec.json.decode(step)
            for name, cells in changes["cells"].items():
                for cell, token in cells:
                    self._last_frame["layers"][name][cell] = token
            self._last_frame |= {**changes["set"], "events": changes["events"]}
        self._applied_steps = len(self.steps)
        return cast(BoardFrame, self._last_frame)

    def encode(self) -> bytes:
        """The JSON of the film so far."""
        return encode(self.describe())

    def describe(self) -> FilmInfo:
        """The film so far, for encoding. Its steps are JSON already and cannot be read here."""
        return msgspec.structs.replace(
            self.beginning, steps=cast(list[FilmStep], self.steps), end=self.end
        )


class FilmEncoder:
    """Makes the film of one bout for one audience: its beginning, then the JSON of every step.

    It reads the position after each step, so it must run where the bout is played or replayed,
    never in the event loop.
    """

    def __init__(
        self,
        id: str,
        kind: FilmKind,
        game: Game,
        started: BoutStarted,
        position: Position,
        *,
        seat: int | None = None,
        secret: bool = False,
        timed: bool = True,
        match: MatchPlace | None = None,
    ) -> None:
        """``secret``: the bout is still going on, and its audience must not learn what is hidden
        from it.

        ``timed``: clocks are shown, unless people play without one.
        """
        timed = timed and not is_untimed(started)
        self._game, self._seat, self._secret, self._timed = game, seat, secret, timed
        self._frame_differ = FrameDiffer(position, seat)
        self._remaining_times = RemainingTimes(started)
        self._opening_moves_left = started.opening
        self.beginning = FilmInfo(
            id=id,
            kind=kind,
            game=describe_game(game),
            version=started.version,
            options=started.options,
            seed=None if secret else started.seed,
            players=[
                FilmPlayer(bot.name, bot.isolation == HUMAN_ISOLATION, bot.digest, bot.isolation)
                for bot in started.bots
            ],
            clock=started.clock if timed else None,
            began=started.began or None,
            match=match,
            seat=seat,
            scene=cast(BoardScene, game.scene(game.Options.parse(started.options))),
            key=self._frame_differ.first_frame,
            steps=[],
            end=None,
            can=FilmRights(
                go_on=not secret and not game.turn_source, practise=not game.turn_source
            ),
        )

    def encode_step(self, moves: Ply, spent: Mapping[int, TimeSpent], position: Position) -> bytes:
        """The JSON of the next step, for ``Film.append``."""
        shown = [seat for seat in moves if not self._secret or seat == self._seat]
        step = self._frame_differ.next_step(position)
        step.moves = {str(seat): self._game.spoken(moves[seat]) for seat in shown}
        step.cpu = {str(seat): round(used.cpu, 3) for seat, used in spent.items()}
        step.wall = {str(seat): round(used.wall, 3) for seat, used in spent.items()}
        in_opening = self._opening_moves_left > 0
        self._opening_moves_left -= len(moves)
        if in_opening:
            step.opening = True
        if self._timed:
            step.left = self._remaining_times.charge({} if in_opening else spent)
        return encode(step)


def is_untimed(started: BoutStarted) -> bool:
    """Whether people play without a clock: only one that measures wall time runs for them."""
    people = any(bot.isolation == HUMAN_ISOLATION for bot in started.bots)
    return people and started.clock.measure == "cpu"


def describe_game(game: Game) -> FilmGame:
    return FilmGame(game.name, game.title, list(game.seats), game.hidden)


def describe_end(game: Game, record: Record) -> BoutEnd:
    """How a bout ended, in both languages.

    Anybody may read a film, a list or a socket, so faults are described as the public may see them:
    a bot's error output is for its owner (see ``verdict.public``).
    """
    names = [Text(bot.name, bot.name) for bot in record.bots]
    why = (
        verdict.FAULT_NAMES.get(record.reason)
        if record.faults
        else game.explain_bout(record.outcome, record.moves, names)
    )
    faults = [
        SeatFaultInfo(
            fault.seat, fault.kind, Text.of(fault.why), UNSET if fault.move is None else fault.move
        )
        for fault in map(verdict.redact_fault, record.faults)
    ]
    return BoutEnd(
        scores=record.scores,
        winner=record.winner,
        reason=record.reason,
        why=why or Text(record.reason, record.reason),
        faults=faults,
        usage=record.times.usage,
    )


def make_started_event(record: Record) -> BoutStarted:
    """How the bout of a record began."""
    return BoutStarted(
        record.game,
        record.version,
        record.options,
        record.seed,
        record.bots,
        record.clock,
        record.time0,
        record.opening_moves,
        record.times.began,
    )


def make_film(
    record: Record,
    id: str,
    kind: FilmKind = "record",
    match: MatchPlace | None = None,
    seat: int | None = None,
) -> Film:
    """The whole film of a finished bout, as spectators or one seat saw it. It hides nothing that
    this audience saw."""
    game, _ = load_game(record)
    played = replay_steps(record)
    _, position = next(played)
    encoder = FilmEncoder(
        id, kind, game, make_started_event(record), position, seat=seat, match=match
    )
    film = Film(encoder.beginning)
    times = _iter_times(record)
    for ply, position in played:
        film.append(encoder.encode_step(ply, {seat: next(times) for seat in ply}, position))
    film.end = describe_end(game, record)
    return film


def _iter_times(record: Record) -> Iterator[TimeSpent]:
    for cpu, wall in zip(record.times.cpu, record.times.wall, strict=True):
        yield TimeSpent(cpu / 1000, wall / 1000)
