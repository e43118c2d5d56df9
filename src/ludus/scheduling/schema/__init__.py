"""All tables of Ludus; servers and contest files have the same ones.

Times are ISO texts in UTC. A class is a table, named after one of its rows.
"""

from ludus.scheduling.schema.accounts import (
    AuditRow,
    GroupMemberRow,
    GroupRow,
    KnownPlaceRow,
    NoticeRow,
    QuotaUseRow,
    ResetRow,
    SessionRow,
    SettingRow,
    TeamMemberRow,
    TeamRow,
    TokenRow,
    UserRow,
)
from ludus.scheduling.schema.base import Base
from ludus.scheduling.schema.bots import BotRow, CheckRecordRow, CodeRow, VersionRow
from ludus.scheduling.schema.contests import (
    BoutRow,
    ContestRow,
    EntrantRow,
    JournalRow,
    LeaseRow,
    MatchRow,
    RatingHistoryRow,
    RatingRow,
    RecordRow,
    SeatRow,
    TallyRow,
)

__all__ = [
    "AuditRow",
    "Base",
    "BotRow",
    "BoutRow",
    "CheckRecordRow",
    "CodeRow",
    "ContestRow",
    "EntrantRow",
    "GroupMemberRow",
    "GroupRow",
    "JournalRow",
    "KnownPlaceRow",
    "LeaseRow",
    "MatchRow",
    "NoticeRow",
    "QuotaUseRow",
    "RatingHistoryRow",
    "RatingRow",
    "RecordRow",
    "ResetRow",
    "SeatRow",
    "SessionRow",
    "SettingRow",
    "TallyRow",
    "TeamMemberRow",
    "TeamRow",
    "TokenRow",
    "UserRow",
    "VersionRow",
]
