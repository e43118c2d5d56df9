"""The words that the server, its clients and its tables share: each has a key, which programs
compare, and a name in both languages, which people read. They are defined here or, where they
belong to the core, in ``match.verdict`` and ``contest``; ``/api/vocabulary`` serves all of them.
"""

from __future__ import annotations

from typing import Literal

from ludus.lang import Text
from ludus.scheduling.schema.accounts import GroupRole, Role
from ludus.scheduling.schema.bots import MadeWith, VersionState
from ludus.scheduling.schema.contests import ContestState

__all__ = [
    "CONTEST_STATE_NAMES",
    "GROUP_ROLE_NAMES",
    "MADE_WITH_NAMES",
    "ROLE_NAMES",
    "VERSION_STATE_NAMES",
    "ContestState",
    "GroupRole",
    "MadeWith",
    "Role",
    "RosterColumn",
    "Scope",
    "VersionState",
]

ROLE_NAMES: dict[Role, Text] = {
    "organiser": Text("admin", "管理员"),
    "teacher": Text("teacher", "教师"),
    "student": Text("student", "学生"),
}

GROUP_ROLE_NAMES: dict[GroupRole, Text] = {
    "teacher": Text("teacher", "教师"),
    "assistant": Text("assistant", "助教"),
    "student": Text("student", "学生"),
}

RosterColumn = Literal[
    "number", "real_name", "email", "section", "account", "display_name", "password"
]
"""What a column of a class list may have."""

Scope = Literal["read", "upload", "play", "admin"]
"""What a token may do."""

VERSION_STATE_NAMES: dict[VersionState, Text] = {
    "checking": Text("checking", "检查中"),
    "good": Text("ready", "可用"),
    "refused": Text("rejected", "未通过"),
}

MADE_WITH_NAMES: dict[MadeWith, Text] = {
    "": Text("not said", "未说明"),
    "alone": Text("on my own", "独立完成"),
    "team": Text("together with others", "与他人合作"),
    "model": Text("with a language model", "借助大语言模型"),
}

CONTEST_STATE_NAMES: dict[ContestState, Text] = {
    "planned": Text("planned", "计划中"),
    "open": Text("open for entries", "报名中"),
    "closed": Text("entries closed", "报名截止"),
    "running": Text("running", "进行中"),
    "over": Text("finished", "已结束"),
    "published": Text("results published", "已公布"),
    "stopped": Text("stopped", "已中止"),
}
