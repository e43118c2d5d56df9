"""API schemas: similar submissions, settled pairs and given code."""

from __future__ import annotations

import msgspec

from ludus.server.records.bout_schemas import BotLink, OwnerInfo, VersionLink
from ludus.server.vocabulary import MadeWith


class Submission(msgspec.Struct):
    """An uploaded version, in a comparison."""

    version: VersionLink
    bot: BotLink
    owner: OwnerInfo
    at: str
    made_with: MadeWith
    classes: list[str]
    """The owner's classes, those of earlier terms too."""
    people: list[str]
    """Real names and student numbers of the owners, as far as rosters of these classes have
    them."""


class Settlement(msgspec.Struct):
    """Why a pair needs no more attention."""

    reason: str
    by: str
    at: str


class SimilarSubmissions(msgspec.Struct):
    """Two similar submissions."""

    a: Submission
    b: Submission
    share: float
    where: list[tuple[str, int, int, str, int, int]]
    """The file, the first and the last line of one, and those of the other."""
    settled: Settlement | None


class ComparableGame(msgspec.Struct):
    """A game, and how many bots of it there are to compare."""

    game: str
    bots: int


class SubmittedCode(msgspec.Struct):
    """The code of one submission, to be read."""

    files: dict[str, str | None]
    """Texts by path; null for files that are not text."""


class ComparedCode(msgspec.Struct):
    """The code of two similar submissions, to be read side by side."""

    a: dict[str, str | None]
    """The texts of the first by path; null for files that are not text."""
    b: dict[str, str | None]
    where: list[tuple[str, int, int, str, int, int]]
    """The file, the first and the last line of one, and those of the other."""


class BaseCodeInfo(msgspec.Struct):
    """Code that people were given, which does not count as similar."""

    id: int
    game: str
    title: str
    class_id: int | None
    """The class that was given it; null: all people."""
    class_name: str
    at: str
    files: int
