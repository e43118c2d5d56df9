"""What an arena answers, as far as ``ludus remote`` reads it; whatever else comes is refused."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ludus.lang import tr


class Said(msgspec.Struct):
    """Words in both languages; as a string, in the reader's."""

    en: str
    zh: str

    def __str__(self) -> str:
        return tr(self.en, self.zh)


class Refused(msgspec.Struct):
    """Why something was not done."""

    error: Said


class Named(msgspec.Struct):
    """Somebody or something with a name."""

    name: str


class Me(msgspec.Struct):
    """Of ``/api/me``."""

    user: Named | None


class Game(msgspec.Struct):
    """Of ``/api/games/…``: the house bots."""

    bots: list[Named]


class Fault(msgspec.Struct):
    kind: str


class Player(msgspec.Struct):
    """Who sat in a bout."""

    name: str
    score: float = 0.0
    fault: Fault | None = None


class Bout(msgspec.Struct):
    """One that was played."""

    film: str
    at: str = ""
    players: list[Player] = []


class Bouts(msgspec.Struct):
    items: list[Bout]


class Challenge(msgspec.Struct):
    """Of ``/api/challenges/…``."""

    id: int
    state: str
    players: list[Named]
    score: list[float]
    bouts: list[Bout] = []


class Number(msgspec.Struct):
    """Of a version."""

    number: int


class Step(msgspec.Struct):
    """Of a check."""

    name: Said
    ok: bool
    why: Said


class Complaint(msgspec.Struct):
    """About a line of a bot's text."""

    file: str
    line: int
    why: Said


class Check(msgspec.Struct):
    steps: list[Step] = []
    static: list[Complaint] = []
    stderr: str = ""


class Version(msgspec.Struct):
    """Of ``/api/versions/…``."""

    id: int
    number: int
    state: Literal["checking", "good", "refused"]
    check: Check | None = None


class NewBot(msgspec.Struct):
    """One that was made with its first version."""

    versions: Annotated[list[Version], msgspec.Meta(min_length=1)]


class Bot(msgspec.Struct):
    id: int
    name: str


class BotPage(msgspec.Struct):
    """Of ``/api/bots``; ``next`` leads to older ones."""

    items: list[Bot]
    next: int | None


class LadderBot(msgspec.Struct):
    name: str
    owner: Named


class LadderRow(msgspec.Struct):
    place: int
    bot: LadderBot
    version: Number | None
    elo: float
    low: float
    high: float
    bouts: int


class Ladder(msgspec.Struct):
    """Of ``/api/ladders/…``."""

    rows: list[LadderRow]


class Stage(msgspec.Struct):
    """Of ``/api/live``."""

    id: str
