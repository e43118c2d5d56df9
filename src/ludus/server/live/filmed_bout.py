"""A bout under way in ``LiveFilms``: its events, and its film once there are watchers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import cast

import msgspec

from ludus.match.referee import BoutEnded, BoutEvent, BoutStarted
from ludus.server.live.bout_reporter import BeginKind, LiveBoutReporter
from ludus.server.live.event_replay import EventReplay
from ludus.server.live.film import Film
from ludus.server.live.film_schemas import BoutEnd, FilmKind, MatchPlace
from ludus.server.live.film_updates import (
    BoutAppeared,
    FilmBegun,
    FilmDropped,
    FilmEnded,
    FilmSteps,
    LiveBoutInfo,
    LiveUpdate,
    ReceivedFilm,
)

SendUpdate = Callable[[LiveUpdate], None]


class FilmedBout:
    """The events of a bout under way, and its film while there are watchers.

    Events come in as they are played, wait for the contest's delay and are kept. They are replayed
    only when the bout is to be filmed, from the first one on. The film is then kept for later
    watchers, and replaying continues from where it stopped.
    """

    kind: FilmKind = "live"
    timed = True

    def __init__(self, info: LiveBoutInfo, send: SendUpdate) -> None:
        self.info, self._send = info, send
        self.id = info.id
        self.match = MatchPlace(info.match_id, info.number + 1, None) if info.match_id else None
        self.is_appeared = False
        """Whether its appearance has been announced."""
        self.is_private = False
        self.is_filmed = False
        """Whether steps are sent as they happen."""
        self.is_unreadable = False
        """Whether it cannot be replayed: another version of the rules played it, or it is
        damaged."""
        self.has_ended = False
        """Whether its end may be seen."""
        self.no_more_events = False
        self.film: Film | None = None
        self._delayed: deque[tuple[float, BoutEvent]] = deque()
        """Events that may not be seen yet, with the time when they came."""
        self._unreplayed: list[BoutEvent] = []
        """Events that may be seen but have not been replayed yet."""
        self._new_steps: list[msgspec.Raw] = []
        self._replay = self._create_replay("film")

    def _create_replay(self, kind: BeginKind) -> EventReplay:
        # Spectators alone watch bouts of contests and of other programs, so only they are filmed.
        return EventReplay(
            LiveBoutReporter(
                self, lambda function, *given: function(*given), kind=kind, seats=False
            )
        )

    # Events

    def add_event(self, event: BoutEvent, now: float) -> None:
        self._delayed.append((now, event))

    def next_release(self, delay: float) -> float | None:
        """When the next event may be seen; None: no event is waiting."""
        return self._delayed[0][0] + delay if self._delayed else None

    @property
    def has_delayed_events(self) -> bool:
        return bool(self._delayed)

    @property
    def has_visible_events(self) -> bool:
        """Whether there is anything to see yet."""
        return bool(self._unreplayed or self.film)

    def release_events(self, delay: float, now: float) -> None:
        """Release every event that has waited for ``delay`` seconds."""
        while self._delayed and now - self._delayed[0][0] >= delay:
            event = self._delayed.popleft()[1]
            if isinstance(event, BoutStarted):
                self._restart()
            self._unreplayed.append(event)
            self.has_ended = self.has_ended or isinstance(event, BoutEnded)

    def _restart(self) -> None:
        """Start again from a first event: a worker was lost, and another plays the bout anew."""
        self._unreplayed.clear()
        self.has_ended = False
        self._replay = self._create_replay("restart" if self.film else "film")

    # Films

    def appear(self, *, private: bool) -> None:
        """Announce that the bout can be watched."""
        if not self.is_appeared or private != self.is_private:
            self.is_appeared, self.is_private = True, private
            self._send(BoutAppeared(self.info, private))

    def start_filming(self) -> None:
        """Send the film so far, and from now on every step."""
        self.is_filmed = False
        self.replay_events()
        self.is_filmed = True
        if self.film is not None:
            self._send_film(self.film, "film")

    def stop_filming(self) -> None:
        self.is_filmed = False
        self._send(FilmDropped(self.id))

    def replay_events(self) -> None:
        """Replay the released events and, if the bout is being filmed, send their steps."""
        events, self._unreplayed = self._unreplayed, []
        try:
            for event in events:
                self._replay(event)
        except Exception:  # other versions' rules, options or moves may fail in any way
            self.is_unreadable = True
        self._send_new_steps()

    def _send_film(self, film: Film, kind: BeginKind) -> None:
        so_far = cast(ReceivedFilm, film.describe())
        so_far.steps = list(film.steps)
        self._send(FilmBegun(self.id, so_far, kind))

    def _send_new_steps(self) -> None:
        steps, self._new_steps = self._new_steps, []
        if steps and self.is_filmed:
            self._send(FilmSteps(self.id, steps))

    # Called by the reporter

    def begin(self, films: dict[int | None, Film], kind: BeginKind) -> None:
        self._new_steps.clear()
        self.film = films[None]
        if self.is_filmed:
            self._send_film(self.film, kind)

    def add_step(self, steps: Mapping[int | None, bytes]) -> None:
        assert self.film is not None
        self.film.append(steps[None])
        self._new_steps.append(self.film.steps[-1])

    def finish(self, end: BoutEnd) -> None:
        assert self.film is not None
        self.film.end = end
        self._send_new_steps()
        if self.is_filmed:
            self._send(FilmEnded(self.id, end))
