"""All tables of Ludus; servers and contest files have the same ones.

Times are ISO texts in UTC. A class is a table, named after one of its rows.
"""

from ludus.scheduling.schema.accounts import (
    AuditRow,
    GroupMemberRow,
    GroupRow,
    KnownDeviceRow,
    NoticeRow,
    PasswordResetRow,
    QuotaUseRow,
    SessionRow,
    SettingRow,
    TeamMemberRow,
    TeamRow,
    TokenRow,
    UserRow,
)
from ludus.scheduling.schema.assignments import (
    AssignmentRow,
    DeadlineExtensionRow,
    GradingRow,
    PersonMarkRow,
    SubmissionPersonRow,
    SubmissionRow,
)
from ludus.scheduling.schema.base import Base
from ludus.scheduling.schema.bots import BotRow, CheckRecordRow, VersionFilesRow, VersionRow
from ludus.scheduling.schema.contests import (
    BoutRow,
    ContestRow,
    EntrantRow,
    JournalRow,
    LeaseRow,
    MatchRow,
    MirroredPairRow,
    RatingHistoryRow,
    RatingRow,
    RecordRow,
    SeatRow,
    TallyRow,
)
from ludus.scheduling.schema.git import GitPushRow, GitRemoteRow, GitRepositoryRow
from ludus.scheduling.schema.integrity import BaseCodeRow, SettledPairRow
from ludus.scheduling.schema.posts import MailRow, PostRow

__all__ = [
    "AssignmentRow",
    "AuditRow",
    "Base",
    "BaseCodeRow",
    "BotRow",
    "BoutRow",
    "CheckRecordRow",
    "ContestRow",
    "DeadlineExtensionRow",
    "EntrantRow",
    "GitPushRow",
    "GitRemoteRow",
    "GitRepositoryRow",
    "GradingRow",
    "GroupMemberRow",
    "GroupRow",
    "JournalRow",
    "KnownDeviceRow",
    "LeaseRow",
    "MailRow",
    "MatchRow",
    "MirroredPairRow",
    "NoticeRow",
    "PasswordResetRow",
    "PersonMarkRow",
    "PostRow",
    "QuotaUseRow",
    "RatingHistoryRow",
    "RatingRow",
    "RecordRow",
    "SeatRow",
    "SessionRow",
    "SettingRow",
    "SettledPairRow",
    "SubmissionPersonRow",
    "SubmissionRow",
    "TallyRow",
    "TeamMemberRow",
    "TeamRow",
    "TokenRow",
    "UserRow",
    "VersionFilesRow",
    "VersionRow",
]
