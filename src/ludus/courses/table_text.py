"""Decodes tables that people saved as text, whichever program wrote them."""

from __future__ import annotations

from ludus.errors import LudusError

UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def decode_table(data: bytes) -> str:
    """UTF-8, or GB18030 as Excel saves it in China, or UTF-16 as Excel saves "Unicode text";
    LudusError if it is none of them.

    Almost any bytes are valid GB18030: the é and v of a Latin-1 Kévin are one Chinese character. So
    GB18030 is accepted only if no character stands in the middle of a Latin word.
    """
    try:
        if data.startswith(UTF_16_MARKS):
            return data.decode("utf-16")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        raise _unknown_encoding() from None
    if any(_is_inside_word(text, place) for place, char in enumerate(text) if not char.isascii()):
        raise _unknown_encoding()
    return text


def _is_inside_word(text: str, place: int) -> bool:
    """Whether a character is between Latin letters, or swallowed one of them: its second byte is an
    ASCII letter, which is not so in common characters."""
    before, after = text[:place][-1:], text[place + 1 : place + 2]
    beside = [char.isascii() and char.isalpha() for char in (before, after)]
    return all(beside) or (any(beside) and text[place].encode("gb18030")[1] < 0x80)


def _unknown_encoding() -> LudusError:
    return LudusError(
        "the file is neither UTF-8 nor GB18030; save it as UTF-8 (in Excel: CSV UTF-8)",
        "文件既不是 UTF-8 也不是 GB18030 编码；请另存为 UTF-8（Excel：CSV UTF-8）",
    )
