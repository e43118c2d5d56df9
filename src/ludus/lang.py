"""The language a person reads: English or Chinese, chosen once from the environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping

TYPE_CHECKING = False  # as in typing, which every command would wait for
if TYPE_CHECKING:
    from typing import Any, NoReturn

LANGUAGES = ("en", "zh")


class _TextFields:
    """The fields of ``Text`` for those who ask a dataclass for them: msgspec, which encodes and
    decodes by them.

    ``Text`` would be a frozen dataclass, but importing ``dataclasses`` (and with it ``inspect``)
    and generating the methods took a quarter of the time of ``ludus --help``. So that module is
    imported when it is asked for.
    """

    def __get__(self, text: Text | None, kind: type[Text]) -> dict[str, Any]:
        from dataclasses import fields, make_dataclass

        of_a_dataclass = make_dataclass("Text", [(language, str) for language in LANGUAGES])
        found = {field.name: field for field in fields(of_a_dataclass)}
        kind.__dataclass_fields__ = found  # type: ignore[assignment]
        return found


class Text(Mapping[str, str]):
    """The same words in each language: ``Text("draw", "平局")``.

    It is a mapping of its languages, so ``text["en"]``, ``dict(text)`` and a comparison with a dict
    work, and it is JSON's ``{"en": …, "zh": …}`` wherever Ludus encodes or decodes it.
    """

    __slots__ = LANGUAGES
    __match_args__ = ("en", "zh")
    __dataclass_fields__ = _TextFields()

    en: str
    zh: str

    def __init__(self, en: str, zh: str) -> None:
        object.__setattr__(self, "en", en)
        object.__setattr__(self, "zh", zh)

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

    def __repr__(self) -> str:
        return f"Text(en={self.en!r}, zh={self.zh!r})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"a Text cannot be changed: {name}")

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)

    def __reduce__(self) -> tuple[type[Text], tuple[str, str]]:
        return Text, (self.en, self.zh)


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


def unknown_language() -> str:
    """What ``LUDUS_LANG`` holds if it is neither English nor Chinese; else nothing."""
    given = os.environ.get("LUDUS_LANG", "")
    return "" if given.lower().startswith(LANGUAGES) else given


def tr(en: str, zh: str) -> str:
    """The words for the reader's language."""
    return zh if language() == "zh" else en


def counted(count: int, one: str, many: str) -> str:
    """A number with its English noun: "1 bout", "2 bouts"."""
    return f"{count} {one if count == 1 else many}"


def translate(text: Mapping[str, str]) -> str:
    """A text in the reader's language, in English where that is missing."""
    return text.get(language()) or text["en"]
