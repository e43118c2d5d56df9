"""Text from outside, made safe to show: control characters become visible.

Bots, compilers, file names, records and servers can contain anything. As it is, ``ESC ]0;…``
sets a terminal's title, ``ESC [2J`` clears it, a carriage return overwrites a line, and the
controls of bidirectional text show a name backwards. None has a place in what Ludus prints.
"""

from __future__ import annotations

import re

from ludus.errors import LudusError

UNSAFE_CHARACTERS = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for tab and newline
    "\u00ad\u061c\u200b\u200e\u200f\u2060-\u206f\ufeff\ufff9-\ufffb"  # unseen, or turn text round
    "\u2028-\u202e"  # line separators, and more that turns text round
    "\ud800-\udfff"  # halves of characters: bytes of a file name that are not UTF-8
    "\U000e0000-\U000e007f"  # tags, which are invisible
    "]"
)
SURROGATE_ESCAPED_BYTES = range(0xDC80, 0xDD00)
"""How Python represents the bytes of a name that are not UTF-8."""


def escape_unsafe(text: str) -> str:
    """The text with everything unsafe made visible, as Python writes it; tabs and newlines stay."""
    return UNSAFE_CHARACTERS.sub(_escape_match, text)


def _escape_match(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code in SURROGATE_ESCAPED_BYTES:
        return f"\\x{code - 0xDC00:02x}"
    return match[0].encode("unicode_escape").decode("ascii")


def escape_unsafe_json(text: str) -> str:
    """JSON that says the same, with everything unsafe as ``\\u…``."""
    return UNSAFE_CHARACTERS.sub(_escape_json_match, text)


def _escape_json_match(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def escape_to_one_line(text: str) -> str:
    """The same in one line, for logs: a name cannot look like the next entry."""
    return escape_unsafe(text).replace("\n", "\\n").replace("\t", "\\t")


def truncate(text: str, most: int) -> str:
    """At most ``most`` characters of a text, and how many are missing."""
    if len(text) <= most:
        return text
    return f"{text[:most]}… (+{len(text) - most})"


def refuse_undecodable(name: str) -> None:
    """Records, orders and pages are UTF-8, and so must be the names of files that play."""
    try:
        name.encode()
    except UnicodeEncodeError:
        shown = escape_unsafe(name)
        raise LudusError(
            f"the name {shown} is not valid UTF-8; rename the file",
            f"文件名 {shown} 不是 UTF-8；请改名",
        ) from None
