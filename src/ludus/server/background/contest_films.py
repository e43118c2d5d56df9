"""Passes the events of contests' bouts to ``LiveFilms``."""

from __future__ import annotations

import secrets

from ludus.match.pool import decode_event
from ludus.match.referee import BoutEnded
from ludus.scheduling.bout_events import ContestBout
from ludus.server.live.film_updates import LiveBoutInfo
from ludus.server.live.live_films import LiveFilms


class ContestFilms:
    """A ``BoutEventSink`` that gives every bout an id and passes its events on."""

    def __init__(self, films: LiveFilms) -> None:
        self._films = films
        self._under_way: dict[ContestBout, LiveBoutInfo] = {}

    def add_event(self, bout: ContestBout, event: bytes) -> None:
        if (info := self._under_way.get(bout)) is None:
            info = self._under_way[bout] = _describe_bout(bout)
        decoded = decode_event(event)
        self._films.add_event(info, decoded)
        if isinstance(decoded, BoutEnded):
            self.drop_bout(bout)

    def drop_bout(self, bout: ContestBout) -> None:
        if (info := self._under_way.pop(bout, None)) is not None:
            self._films.end_events(info.id)


def _describe_bout(bout: ContestBout) -> LiveBoutInfo:
    return LiveBoutInfo(
        id=f"live-{secrets.token_hex(6)}",
        game=bout.game,
        match_id=bout.match_id,
        number=bout.number,
        contest_id=bout.contest_id,
        entrants=bout.entrants,
    )
