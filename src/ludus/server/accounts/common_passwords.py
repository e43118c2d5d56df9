"""Recognises passwords that anybody would try first."""

from __future__ import annotations

import re

_WORDS = """
    password passwort passw0rd p@ssword p@ssw0rd pa55word pa55w0rd pass passwd letmein welcome
    iloveyou ilovey0u loveyou lovely loveme princess sunshine football baseball basketball
    softball volleyball superman batman spiderman ironman pokemon pikachu starwars dragon monkey
    shadow master michael jennifer jessica michelle jordan ashley daniel charlie thomas robert
    andrew joshua matthew anthony william elizabeth samantha nicole hannah amanda alexander
    alexandra benjamin christian christopher jonathan victoria nicholas patrick richard
    stephanie maxwell freedom whatever trustno computer internet internetexplorer security
    secret changeme default guest login admin administrator adminadmin root rootroot toor system
    server test testtest tester testing test1234 user username student students teacher
    organiser organizer school college university hello helloworld hello123 goodluck killer
    hunter hunter2 mustang corvette ferrari mercedes porsche chocolate cookie banana orange
    apple cheese pepper ginger summer winter spring autumn january february september october
    november december monday friday sunday diamond silver golden purple yellow butterfly flower
    rainbow unicorn tinkerbell angel angels blessed jesus christ heaven liverpool chelsea
    arsenal barcelona juventus realmadrid manchester manutd dallas chicago london newyork
    america australia canada germany scotland england samsung google facebook youtube twitter
    instagram snapchat whatsapp microsoft windows minecraft fortnite nintendo playstation xbox
    counter zaq12wsx 1qaz2wsx 1q2w3e4r 1q2w3e4r5t q1w2e3r4 q1w2e3r4t5 qazwsx qazwsxedc qwerty
    qwertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm azerty qwertz asdf qwer zxcv abcd abc access
    letmein1 nothing something whoknows mypassword newpassword yourpassword thisismypassword
    opensesame abracadabra woaini woaini1314 woaini520 wodemima mima nihao aini woshishui
    tsinghua pekinguni beida ludus ludusludus arena bot
"""
COMMON_WORDS = frozenset(_WORDS.split())
KEYBOARD_ROWS = (
    "01234567890",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "1q2w3e4r5t6y7u8i9o0p",
    "!@#$%^&*()",
    "azertyuiopqsdfghjklmwxcvbn",
    "qwertzuiopasdfghjklyxcvbnm",
)
"""Alphabet, digits and the rows of keyboards."""
STEM = re.compile(r"^[\W\d_]*(.*?)[\W\d_]*$")
MAX_PADDING_CHARS = 6
"""A common word with so many digits and signs around it is still common."""


def is_common(password: str, name: str = "") -> bool:
    """Whether a password is the person's name, a very common word, a run of neighbouring keys, or
    repetitions of one of these, with a few digits and signs around it."""
    folded = password.casefold()
    if name and (
        folded == name.casefold() or _is_padding(folded.replace(name.casefold(), "", 1), folded)
    ):
        return True
    stem = STEM.sub(r"\1", folded)
    around = len(folded) - len(stem)
    for part in {
        _find_repeated_part(folded),
        *((_find_repeated_part(stem),) if around <= MAX_PADDING_CHARS else ()),
    }:
        if part and (part in COMMON_WORDS or _is_run(part)):
            return True
    return False


def _is_padding(rest: str, whole: str) -> bool:
    """Whether a part was removed and only a few digits and signs are left."""
    return rest != whole and len(rest) <= MAX_PADDING_CHARS and not STEM.sub(r"\1", rest)


def _find_repeated_part(text: str) -> str:
    """The part that a text repeats: abc for abcabcabc; otherwise the text."""
    size = (text + text).find(text, 1)
    return text[: max(size, 0)]


def _is_run(text: str) -> bool:
    """Whether a text consists of neighbouring keys, forwards or backwards, or of several such runs
    of at least four keys."""
    rest = text
    while rest:
        length = max(_count_run(rest, row) for line in KEYBOARD_ROWS for row in (line, line[::-1]))
        if length < min(4, len(text)) or (length < 4 and rest != text):
            return False
        rest = rest[length:]
    return True


def _count_run(text: str, row: str) -> int:
    """How many characters at the start of a text follow each other on a row of keys."""
    length = len(text)
    while length and text[:length] not in row:
        length -= 1
    return length
