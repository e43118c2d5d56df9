"""What went wrong, in a sentence for the person who must act."""

from __future__ import annotations

from ludus.lang import Text, translate


class LudusError(Exception):
    """A mistake in what was asked (a file, a name, an option), with a sentence in both languages.

    The command line prints the sentence and leaves with exit code 2.
    """

    def __init__(self, en: str, zh: str, detail: str = "") -> None:
        super().__init__(en)
        self.text: Text = {"en": en, "zh": zh}
        self.detail = detail

    def __str__(self) -> str:
        return translate(self.text)

    def __reduce__(self) -> tuple[type[LudusError], tuple[str, str, str]]:
        """Whole in both languages when it travels from one process to another."""
        return type(self), (self.text["en"], self.text["zh"], self.detail)


class PlatformFault(Exception):
    """A failure of the machine, such as no process to be had: the bout is void and played again."""
