"""Recognises bots of Botzone by their source.

A program that speaks ludus/1 names that protocol in its first message or includes our kit, and it
reads binary frames. So a source with such a name is never taken for a bot of Botzone, and one
without it that reads lines or numbers from stdin can hardly be anything else.
"""

from __future__ import annotations

import re

from ludus.bots.languages.base import BotCode, Language
from ludus.compat.botzone.messages import KEEP_RUNNING_MARKER

MARKER = KEEP_RUNNING_MARKER.decode()
HISTORY_KEYS = ("requests", "responses")
"""The names under which a bot finds the history in its input."""
READS_TEXT = {
    "cpp": re.compile(r"\bcin\s*>>|\bgetline\s*\(|\bscanf\s*\(|\bcin\s*\.\s*get"),
    "c": re.compile(r"\bscanf\s*\(|\bgets\s*\(|\bgetline\s*\("),
    "java": re.compile(r"System\s*\.\s*in\b"),
    "javascript": re.compile(r"\bprocess\s*\.\s*stdin\b|\breadline\b|/dev/stdin|readFileSync\(0"),
    "python": re.compile(r"\binput\s*\(|\bsys\s*\.\s*stdin\b|\bstdin\b"),
}
"""How programs read lines or numbers from stdin."""
SPEAKS_LUDUS = re.compile(r"""ludus/1|["'<]ludus(\.\w+)?["'>]""")
"""The name of our protocol, or of our kit as it is included or imported."""
USES_JSON = re.compile(
    r"""\bjson\.\w|^\s*(import|from)\s+\w*json\b|\bJSON\s*\.\s*parse|\bjson::|\bnlohmann\b"""
    r"""|^\s*\#\s*include\s*["<][^">\n]*json|\bGson\b|\bJSONObject\b|\bJsonParser\b""",
    re.IGNORECASE | re.MULTILINE,
)
"""How programs name what reads JSON; comments often name JSON itself."""


def speaks_json(language: Language, code: BotCode) -> bool:
    """Whether a source is a bot of Botzone that exchanges JSON."""
    return _is_candidate(language, code) and _uses_json(code.text)


def speaks_simply(language: Language, code: BotCode) -> bool:
    """Whether a source is a bot of Botzone with simple interaction: it reads text and no JSON."""
    return _is_candidate(language, code) and not _uses_json(code.text)


def _is_candidate(language: Language, code: BotCode) -> bool:
    reads = READS_TEXT.get(language.name)
    if reads is None or SPEAKS_LUDUS.search(code.text):
        return False
    return bool(reads.search(code.text)) or MARKER in code.text or _names_history(code.text)


def _uses_json(text: str) -> bool:
    return _names_history(text) or bool(USES_JSON.search(text))


def _names_history(text: str) -> bool:
    return all(re.search(rf"[\"'.]{key}\b", text) for key in HISTORY_KEYS)
