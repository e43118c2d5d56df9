"""All vocabularies in one response, which is also embedded in every page."""

from __future__ import annotations

from functools import cache

import msgspec

from ludus.bots.house_titles import list_house_titles
from ludus.bots.languages.registry import LANGUAGES
from ludus.contest.formats.names import FORMAT_NAMES, FORMAT_SUMMARIES
from ludus.contest.setting_words import SETTING_WORDS
from ludus.contest.standings import TIE_BREAKS
from ludus.lang import Text
from ludus.match.verdict import FAULT_NAMES
from ludus.sandbox.bot_fault import FaultKind
from ludus.server.vocabulary import (
    CONTEST_STATE_NAMES,
    GROUP_ROLE_NAMES,
    MADE_WITH_NAMES,
    ROLE_NAMES,
    VERSION_STATE_NAMES,
    ContestState,
    GroupRole,
    MadeWith,
    Role,
    VersionState,
)


class FormatText(msgspec.Struct):
    """The texts of a contest format."""

    name: Text
    summary: Text


class SettingText(msgspec.Struct):
    """The texts of a contest setting."""

    title: Text
    choices: dict[str, Text]
    help: Text | None
    """Replaces the help of ``/api/formats``, which describes files."""


class Vocabulary(msgspec.Struct):
    """The names of all keys of the API."""

    faults: dict[FaultKind, Text]
    roles: dict[Role, Text]
    group_roles: dict[GroupRole, Text]
    version_states: dict[VersionState, Text]
    made_with: dict[MadeWith, Text]
    contest_states: dict[ContestState, Text]
    formats: dict[str, FormatText]
    tie_breaks: dict[str, Text]
    settings: dict[str, SettingText]
    languages: dict[str, str]
    """The programming languages of bots, with the same name in both languages."""
    house_bots: dict[str, Text]


@cache
def make_vocabulary() -> Vocabulary:
    return Vocabulary(
        faults={FaultKind(kind): text for kind, text in FAULT_NAMES.items()},
        roles=ROLE_NAMES,
        group_roles=GROUP_ROLE_NAMES,
        version_states=VERSION_STATE_NAMES,
        made_with=MADE_WITH_NAMES,
        contest_states=CONTEST_STATE_NAMES,
        formats={
            name: FormatText(title, FORMAT_SUMMARIES[name]) for name, title in FORMAT_NAMES.items()
        },
        tie_breaks={name: text for name, (_, text) in TIE_BREAKS.items()},
        settings={
            name: SettingText(words.title, words.choices, words.help)
            for name, words in SETTING_WORDS.items()
        },
        languages={language.name: language.title for language in LANGUAGES},
        house_bots=list_house_titles(),
    )
