"""The words that the server, its clients and its tables share: each has a key, which programs
compare, and a name in both languages, which people read. They are defined here or, where they
belong to the core, in ``match.verdict`` and ``contest``; ``/api/vocabulary`` serves all of them.
"""

from __future__ import annotations

from typing import Literal

from ludus.lang import Text
from ludus.scheduling.schema.accounts import Role
from ludus.scheduling.schema.bots import VersionState
from ludus.scheduling.schema.contests import ContestState

__all__ = [
    "CONTEST_STATE_NAMES",
    "ROLE_NAMES",
    "VERSION_STATE_NAMES",
    "ContestState",
    "Role",
    "Scope",
    "VersionState",
]

ROLE_NAMES: dict[Role, Text] = {
    "organiser": {"en": "organiser", "zh": "管理员"},
    "teacher": {"en": "teacher", "zh": "教师"},
    "student": {"en": "student", "zh": "学生"},
}

Scope = Literal["read", "upload", "play", "admin"]
"""What a token may do."""

VERSION_STATE_NAMES: dict[VersionState, Text] = {
    "checking": {"en": "checking", "zh": "检查中"},
    "good": {"en": "ready", "zh": "可用"},
    "refused": {"en": "rejected", "zh": "未通过"},
}

CONTEST_STATE_NAMES: dict[ContestState, Text] = {
    "planned": {"en": "planned", "zh": "计划中"},
    "open": {"en": "open for entries", "zh": "报名中"},
    "closed": {"en": "entries closed", "zh": "报名截止"},
    "running": {"en": "running", "zh": "进行中"},
    "over": {"en": "finished", "zh": "已结束"},
    "published": {"en": "results published", "zh": "已公布"},
    "stopped": {"en": "stopped", "zh": "已中止"},
}
