"""The language a person reads: English or Chinese, chosen once from the environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True, eq=False)
class Text(Mapping[str, str]):
    """The same words in each language: ``Text("draw", "平局")``.

    It is a mapping of its languages, so ``text["en"]``, ``dict(text)`` and a comparison with a dict
    work, and it is JSON's ``{"en": …, "zh": …}`` wherever Ludus encodes or decodes it.
    """

    en: str
    zh: str

    @classmethod
    def of(cls, words: Mapping[str, str]) -> Text:
        """A text from what may be a plain dict, as other packages and stored data have them.

        A language that is missing is stood in for by the other.
        """
        if isinstance(words, Text):
            return words
        en, zh = words.get("en", ""), words.get("zh", "")
        return cls(en or zh, zh or en)

    def map(self, change: Callable[[str], str]) -> Text:
        """What a function makes of the words of each language."""
        return Text(change(self.en), change(self.zh))

    def __getitem__(self, language: str) -> str:
        if language == "en":
            return self.en
        if language == "zh":
            return self.zh
        raise KeyError(language)

    def __iter__(self) -> Iterator[str]:
        return iter(LANGUAGES)

    def __len__(self) -> int:
        return len(LANGUAGES)

    def __bool__(self) -> bool:
        """Whether there are words at all."""
        return bool(self.en or self.zh)

    def __hash__(self) -> int:
        return hash((self.en, self.zh))


def encode_text(value: Any) -> dict[str, str]:
    """For the ``default=`` of ``json.dumps``, which knows only plain dicts."""
    if isinstance(value, Text):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def language() -> str:
    """``"zh"`` or ``"en"``: from ``LUDUS_LANG``, else from the locale."""
    for name in ("LUDUS_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def tr(en: str, zh: str) -> str:
    """The words for the reader's language."""
    return zh if language() == "zh" else en


def translate(text: Mapping[str, str]) -> str:
    """A text in the reader's language, in English where that is missing."""
    return text.get(language()) or text["en"]
