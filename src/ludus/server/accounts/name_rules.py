"""Rules for names of people, teams and bots."""

from __future__ import annotations

import functools
import re
import unicodedata

from ludus.errors import LudusError

USER_NAME_PATTERN = re.compile(r"[\w.-]{2,30}")
MAX_TITLE_CHARS = 40
WORD = re.compile(r"[^\W\d_]+")
_RANGES = (
    "ad 34f 61c 115f-1160 17b4-17b5 180b-180f 200b-200f 202a-202e 2060-206f 2800 3164 fe00-fe0f"
    " feff ffa0 fff0-fff8 1bca0-1bca3 1d173-1d17a e0000-e0fff"
)
INVISIBLE = frozenset(
    chr(code)
    for each in _RANGES.split()
    for first, _, last in [each.partition("-")]
    for code in range(int(first, 16), int(last or first, 16) + 1)
)
"""Characters that are drawn as nothing (Unicode's Default_Ignorable_Code_Point), and the Braille
blank."""
LOOKALIKES = str.maketrans(
    "авеѕіјкмнорсԁтухһԛԝӏьгпѵ" + "αβγεηικνορτυχωϲ",
    "abesijkmhopcdtyxhqwlbrnv" + "abyenikvoptuxwc",
)
"""Small Cyrillic and Greek letters that look (or whose capitals look) like Latin ones."""

LOOKALIKE_DIGITS = str.maketrans("10q", "log")
"""Digits and letters that are mistaken for others."""
BETWEEN_DIGITS = re.compile(r"(?<=\d)[\W_]+(?=\d)")
LONE_DASH = re.compile(r"(?<!\d)-|-(?!\d)")
WORD_SEPARATORS = re.compile(r"[\W_]+")
STAFF_WORDS_ZH = re.compile("管理员|组织者|教师|老师|助教")


def strip_invisible(text: str) -> str:
    """The text without characters that are drawn as nothing."""
    return "".join(c for c in text if c not in INVISIBLE)


def fold_name(name: str) -> str:
    """The form under which names are compared: names that look alike are equal."""
    return unicodedata.normalize("NFKC", name).casefold()


@functools.lru_cache(20_000)
def skeleton(name: str) -> str:
    """What a name looks like: names with the same skeleton can be mistaken for each other.

    A capital I looks like a small l, which can be seen only before case is folded. Characters other
    than letters and digits are ignored, except between two digits, because classes number people
    like this: 1-12 is not 11-2.
    """
    seen = unicodedata.normalize("NFKC", strip_invisible(name)).replace("I", "l")
    seen = strip_invisible(seen.casefold()).translate(LOOKALIKES)
    kept = BETWEEN_DIGITS.sub("-", seen)
    plain = "".join(c for c in kept if c == "-" or c.isalnum() or unicodedata.combining(c))
    return (
        LONE_DASH.sub("", plain).translate(LOOKALIKE_DIGITS).replace("rn", "m").replace("vv", "w")
    )


def claims_staff_role(text: str) -> bool:
    """Whether a name claims that a person belongs to the staff."""
    return _strip_staff_words(text) is not None


def strip_staff_words(text: str) -> str:
    """A name without words for the staff: "olga-organiser" pretends to be olga."""
    rest = _strip_staff_words(text)
    return text if rest is None else rest


def _strip_staff_words(text: str) -> str | None:
    seen = fold_name(strip_invisible(text))
    rest = STAFF_WORDS_ZH.sub(" ", seen)
    words = WORD_SEPARATORS.split(rest)
    kept = [word for word in words if skeleton(word) not in STAFF_WORDS]
    if rest == seen and len(kept) == len(words):
        return None
    return " ".join(kept)


STAFF_WORDS = frozenset(
    map(skeleton, ("organiser", "organizer", "teacher", "admin", "administrator", "staff"))
)
"""Words for the staff; ``STAFF_WORDS_ZH`` has those of Chinese, which has no spaces between
words."""


def refuse_mixed_scripts(name: str) -> None:
    """Refuse words that mix scripts with similar letters, which imitate other names."""
    for word in WORD.findall(name):
        scripts = {unicodedata.name(c, "").partition(" ")[0] for c in word}
        if len(scripts & {"LATIN", "CYRILLIC", "GREEK"}) > 1:
            raise LudusError(
                "a word of a name must not mix Latin, Cyrillic and Greek letters",
                "名称中的一个词不能混用拉丁、西里尔和希腊字母",
            )


def check_user_name(name: str) -> str:
    """A valid user name: letters of any script, digits, dot, dash, underscore. It is part of
    addresses."""
    name = unicodedata.normalize("NFC", name.strip())
    if not USER_NAME_PATTERN.fullmatch(name) or name.startswith(".") or INVISIBLE & set(name):
        raise LudusError(
            "a name must have 2 to 30 letters, digits, dots, dashes or underscores",
            "用户名为 2 到 30 个字母、汉字、数字、点、横线或下划线",
        )
    refuse_mixed_scripts(name)
    return name


def check_title(name: str, longest: int = MAX_TITLE_CHARS) -> str:
    """A valid title: one line for tables, without '/'; invisible characters are removed."""
    name = " ".join(strip_invisible(unicodedata.normalize("NFC", name)).split())
    unfit = any(c == "/" or unicodedata.category(c)[0] == "C" for c in name)
    if not 0 < len(name) <= longest or unfit:
        raise LudusError(
            f"a name or title must have 1 to {longest} visible characters and no '/',"
            f" got {name[: longest + 1]!r}",
            f"名称或标题须为 1 到 {longest} 个可见字符且不含“/”，得到 {name[: longest + 1]!r}",
        )
    return name


def clean_line(text: str, longest: int = 60) -> str:
    """A single line of free text, possibly empty."""
    kept = "".join(c for c in strip_invisible(text) if unicodedata.category(c)[0] != "C")
    return " ".join(kept.split())[:longest]


def clean_paragraph(text: str, longest: int = 4000) -> str:
    """Free text with line breaks, without control characters."""
    return "".join(c for c in text if c == "\n" or unicodedata.category(c)[0] != "C")[:longest]
