"""How the API represents errors."""

from __future__ import annotations

import msgspec

from ludus.errors import LudusError
from ludus.games.rules_failure import RulesFailure


class ErrorDetail(msgspec.Struct):
    """What went wrong: a code for programs, a sentence for people."""

    code: str
    en: str
    zh: str

    @classmethod
    def from_error(cls, error: LudusError) -> ErrorDetail:
        """What readers are told: of failing rules no path of this machine, which is in the log."""
        if isinstance(error, RulesFailure) and (game := error.located_game):
            return cls(
                error.code,
                f"the rules of {game} failed; the log of the server shows where",
                f"{game} 的规则出错；位置见服务器的日志",
            )
        return cls(error.code, error.text["en"], error.text["zh"])
