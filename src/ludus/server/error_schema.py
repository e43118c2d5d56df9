"""How the API represents errors."""

from __future__ import annotations

import msgspec

from ludus.errors import LudusError


class ErrorDetail(msgspec.Struct):
    """What went wrong: a code for programs, a sentence for people."""

    code: str
    en: str
    zh: str

    @classmethod
    def from_error(cls, error: LudusError) -> ErrorDetail:
        return cls(error.code, error.text["en"], error.text["zh"])
