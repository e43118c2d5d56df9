"""What went wrong: a sentence for the person who must act, a code for programs."""

from __future__ import annotations

from ludus.lang import Text, translate

TYPE_CHECKING = False  # as in typing, which every command would wait for
if TYPE_CHECKING:
    from typing import Any, Self


class LudusError(Exception):
    """A mistake in what was asked (a file, a name, an option), with a sentence in both languages.

    The command line prints the sentence and leaves with exit code 2.

    ``code`` says which kind of mistake it is (``"not_found"``). Programs decide by it, or by the
    class, and never by the sentence: a sentence may be reworded at any time, a code stays. Every
    class has its own; where a class is raised for several reasons, the one who raises it gives a
    narrower code.
    """

    code = "invalid_input"

    def __init__(self, en: str, zh: str, detail: str = "", *, code: str = "") -> None:
        super().__init__(en)
        self.text = Text(en, zh)
        self.detail = detail
        if code:
            self.code = code

    def __str__(self) -> str:
        return translate(self.text)

    def as_json(self) -> dict[str, str]:
        """``{"code": …, "en": …, "zh": …}``: what programs get to read."""
        return {"code": self.code, **self.text}

    def rephrase(self, en: str, zh: str, detail: str = "") -> Self:
        """The same error, of the same class and code, in other words."""
        other = type(self).__new__(type(self), en)
        other.__dict__.update(self.__dict__)
        other.args, other.text, other.detail = (en,), Text(en, zh), detail
        return other

    @classmethod
    def restore(cls, en: str, zh: str, detail: str, code: str) -> Self:
        """The error that another process described so, whatever arguments its class takes."""
        error = cls.__new__(cls, en)
        LudusError.__init__(error, en, zh, detail, code=code)
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        """Whole when it travels from one process to another, whatever its class's arguments are."""
        return _restore, (type(self), self.text["en"], self.__dict__)


def _restore(kind: type[LudusError], en: str, state: dict[str, Any]) -> LudusError:
    error = kind.__new__(kind, en)
    error.__dict__.update(state)
    return error


class PlatformFault(Exception):
    """A failure of the machine, such as no process to be had: the bout is void and played again."""


class GameProgramFault(PlatformFault):
    """The program with a game's rules failed, so that no player is at fault.

    ``text`` may be shown to all. ``detail`` is the end of what the program wrote to stderr,
    for those who run it.
    """

    code = "game_program_failed"

    def __init__(self, en: str, zh: str, detail: str = "") -> None:
        super().__init__(en, zh, detail)
        self.text = Text(en, zh)
        self.detail = detail

    def __str__(self) -> str:
        return f"{translate(self.text)}\n{self.detail}".strip()
