"""Asks several players at once, each in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from typing import TypeVar

from ludus.bots.players.base import Player

Answer = TypeVar("Answer")


def ask_at_once(
    players: Mapping[int, Player], ask: Callable[[int, Player], Answer]
) -> dict[int, Answer]:
    """What ``ask`` returns for each seat and its player.

    If it raises for one of them, that exception is raised once the others have been told that the
    bout is aborted; a person is not waited for any longer.
    """
    if len(players) == 1:
        return {seat: ask(seat, player) for seat, player in players.items()}
    arrived: SimpleQueue[tuple[int, Answer | BaseException]] = SimpleQueue()

    def run(seat: int, player: Player) -> None:
        try:
            arrived.put((seat, ask(seat, player)))
        except BaseException as error:
            arrived.put((seat, error))

    threads = [threading.Thread(target=run, args=each, daemon=True) for each in players.items()]
    for thread in threads:
        thread.start()
    answers: dict[int, Answer] = {}
    failure: BaseException | None = None
    for _ in players:
        seat, answer = arrived.get()
        if not isinstance(answer, BaseException):
            answers[seat] = answer
        elif failure is None:
            failure = answer
            for other, player in players.items():
                if other not in answers and other != seat:
                    _abort(player)
    for thread in threads:
        thread.join()
    if failure is not None:
        raise failure
    return {seat: answers[seat] for seat in players}


def _abort(player: Player) -> None:
    """Tell a person who is being asked that the bout is aborted. A program answers in its time."""
    if leave := getattr(player, "leave", None):
        leave()
