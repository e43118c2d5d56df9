"""Hints of ``ludus.bots.error_hints`` for readers of a page, who have no command line."""

from __future__ import annotations

import re
from dataclasses import replace

from ludus.findings import Finding
from ludus.lang import Text

PAGE_WORDS = (
    (
        re.compile(
            r"`ludus add \w+` installs it for the bots of this machine"
            r"(, as does pip install '[^']*')?"
        ),
        "this server does not have it",
    ),
    (
        re.compile(r"`ludus add \w+`(（或 pip install '[^']*'）)? ?可为本机的 AI 安装它"),
        "本服务器没有安装它",
    ),
    (
        re.compile(r": to use breakpoint\(\), play with --in-process;.*? of a record"),
        ", so breakpoint() cannot be used here",
    ),
    (
        re.compile(r"：要使用 breakpoint\(\)，请加 --in-process；.*?任意一步"),
        "，不能使用 breakpoint()",
    ),
)
"""What advises a command, and what a page says instead."""


def reword_finding(finding: Finding) -> Finding:
    """The finding without commands to type."""
    hint = finding.evidence.hint
    evidence = replace(finding.evidence, hint=hint and reword_hint(hint))
    return replace(finding, text=reword_hint(finding.text), evidence=evidence)


def reword_hint(text: Text) -> Text:
    """The text without commands to type."""

    def reword(words: str) -> str:
        for pattern, page_words in PAGE_WORDS:
            words = pattern.sub(page_words, words)
        return words

    return text.map(reword)
