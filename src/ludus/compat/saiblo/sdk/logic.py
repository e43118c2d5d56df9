"""For a game's logic: the judger and its players as one object, the table.

    from ludus.compat.saiblo.sdk.logic import Table, run

    def play(table: Table) -> list[float]:
        answers = table.ask({seat: "a number?\\n" for seat in table.seats})
        return [float(answer.text or 0) for answer in answers.values()]

    run(play)

Works with the versions v1, v1.1 and v2 of the protocol. What the logic prints goes to stderr.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OK, CRASHED, LATE, WORDY, ILLEGAL = "OK", "RE", "TLE", "OLE", "IA"
"""The verdicts on a player, in Saiblo's abbreviations."""
_TROUBLES = (CRASHED, LATE, WORDY)
_JUDGER = -1
_PERSON = 2


@dataclass(frozen=True)
class Answer:
    """What a seat answered in a round, or why it did not."""

    seat: int
    text: str = ""
    seconds: float = 0.0
    """Seconds since the round began; 0 if the judger does not say."""
    trouble: str = ""
    """``RE``: it has ended, ``TLE``: too late, ``OLE``: too long; empty if it answered."""


class Table:
    """The judger's table. Create it once, at the beginning: it waits for the first message."""

    seats: range
    """The players' numbers."""
    people: frozenset[int]
    """Seats of people, who need more time and want texts that they can read."""
    config: Any
    """The match's config: an object, or in older versions a string or None."""
    replay: Path
    """The path of the replay; see ``save``."""
    seed: int | None
    """The seed for random numbers, if the config has a ``random_seed``."""

    def __init__(self, incoming: int = 0, outgoing: int = 1) -> None:
        self._in, self._out = incoming, outgoing
        self._state = 0
        self._limits: dict[str, float] = {}
        init = self._receive()
        kinds: list[int] = init["player_list"]
        self.seats = range(len(kinds))
        self.people = frozenset(seat for seat in self.seats if kinds[seat] == _PERSON)
        self.config = init.get("config")
        self.replay = Path(init["replay"])
        self.seed = self.config.get("random_seed") if isinstance(self.config, dict) else None
        self._gone = {seat: CRASHED for seat in self.seats if kinds[seat] == 0}
        self._verdicts = dict(self._gone)
        self._ended = False

    # Rounds

    def ask(self, questions: Mapping[int, str], *, again: bool = False) -> dict[int, Answer]:
        """Send each seat a text and wait until all have answered or failed.

        With ``again`` this continues the round: its time is not restarted.
        """
        asked = [seat for seat in questions if seat not in self._gone]
        gone = [seat for seat in questions if seat in self._gone]
        answers = {seat: Answer(seat, trouble=self._gone[seat]) for seat in gone}
        if asked:
            self._state += not (again and self._state)
            content = [questions[seat] for seat in asked]
            message = {"state": self._state, "listen": asked, "player": asked, "content": content}
            self._send(_JUDGER, message)
        while len(answers) < len(questions):
            for answer in self._answers(self._receive()):
                if answer.seat in questions and answer.seat not in answers:
                    answers[answer.seat] = answer
                    if answer.trouble:
                        self.blame(answer.seat, answer.trouble)
        return {seat: answers[seat] for seat in questions}

    def _answers(self, message: Mapping[str, Any]) -> Iterable[Answer]:
        """What a message of the judger means for each seat."""
        if message["player"] != -1:
            yield Answer(message["player"], message["content"], message.get("time", 0) / 1000)
            return
        error = json.loads(message["content"])
        trouble, seat = _TROUBLES[error["error"]], error["player"]
        if trouble != LATE:  # the judger passes on nothing more of it
            self._gone.setdefault(seat, trouble)
            self.blame(seat, trouble)
            yield Answer(seat, trouble=trouble)
        elif "state" not in error:  # v1 names the round instead of the seats
            late = self.seats if seat == self._state else ()
            yield from (Answer(each, trouble=LATE) for each in late)
        elif error["state"] == self._state:  # else it is about an earlier round
            yield Answer(seat, trouble=LATE)

    def limit(self, seconds: float | None = None, length: int | None = None) -> None:
        """Set how long a round may last, and how many bytes an answer may have, from now on."""
        given = {"time": seconds, "length": length}
        wanted = {name: value for name, value in given.items() if value is not None}
        if not wanted.items() <= self._limits.items():
            self._limits |= wanted
            self._send(_JUDGER, {"state": 0, **wanted})

    def tell(self, seat: int, text: str | bytes) -> None:
        """Send a seat something that needs no answer."""
        if seat not in self._gone:
            self._send(seat, text)

    def watch(self, text: str) -> None:
        """Send the spectators something; nothing happens in versions without spectators."""
        if isinstance(self.config, dict):  # v2, which also introduced spectators
            self._send(_JUDGER, {"watch": text})

    # The end

    def blame(self, seat: int, verdict: str) -> None:
        """Record what a seat did wrong, ``IA`` for an illegal move; its first fault counts."""
        self._verdicts.setdefault(seat, verdict)

    def save(self, replay: str | bytes | Mapping[str, Any] | Sequence[Any]) -> None:
        """Write the replay: a string, bytes, or anything that JSON can hold."""
        if not isinstance(replay, str | bytes):
            replay = json.dumps(replay, ensure_ascii=False)
        self.replay.write_bytes(replay.encode() if isinstance(replay, str) else replay)

    def end(self, scores: Sequence[float]) -> None:
        """End the match; one score for each seat. The replay must have been saved before."""
        if len(scores) != len(self.seats):
            raise ValueError(f"expected {len(self.seats)} scores, got {list(scores)}")
        message: dict[str, Any] = {"state": -1, "end_info": json.dumps(dict(enumerate(scores)))}
        if self._verdicts:
            verdicts = [self._verdicts.get(seat, OK) for seat in self.seats]
            message["end_state"] = json.dumps(verdicts)
        self._send(_JUDGER, message)
        self._ended = True

    @property
    def ended(self) -> bool:
        return self._ended

    # The pipes

    def _receive(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._read(int.from_bytes(self._read(4), "big")))
        return message

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = os.read(self._in, size - len(data))
            if not more:
                sys.exit("the judger has closed the connection")
            data += more
        return data

    def _send(self, target: int, message: Mapping[str, Any] | str | bytes) -> None:
        if isinstance(message, Mapping):
            message = json.dumps(message)
        body = message.encode() if isinstance(message, str) else message
        data = len(body).to_bytes(4, "big") + target.to_bytes(4, "big", signed=True) + body
        while data:
            data = data[os.write(self._out, data) :]


def run(play: Callable[[Table], Sequence[float] | None]) -> None:
    """Play one match: ``play`` gets the table and returns the scores, or ends the match itself."""
    if os.isatty(0):
        sys.exit(
            "This is a game's logic and waits for a judger. Try: ludus judge THIS_FILE AI… REPLAY\n"
            "这是游戏逻辑，需要由裁判程序启动，例如：ludus judge 本文件 AI… 回放文件"
        )
    outgoing = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    table = Table(outgoing=outgoing)
    scores = play(table)
    if not table.ended:
        if scores is None:
            sys.exit("the logic returned no scores and did not end the match")
        table.end(scores)
