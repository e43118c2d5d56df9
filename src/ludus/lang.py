"""The language a person reads: English or Chinese, chosen once from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping

Text = Mapping[str, str]
"""The same words in each language: ``{"en": …, "zh": …}``."""


def language() -> str:
    """``"zh"`` or ``"en"``: from ``LUDUS_LANG``, else from the locale."""
    for name in ("LUDUS_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def tr(en: str, zh: str) -> str:
    """The words for the reader's language."""
    return zh if language() == "zh" else en


def translate(text: Text) -> str:
    """A ``Text`` in the reader's language, in English where that is missing."""
    return text.get(language()) or text["en"]
