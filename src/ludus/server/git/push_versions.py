"""From received commits to versions, and from a version's check to lines for the person who
pushed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.escape import escape_to_one_line
from ludus.findings import Finding, Severity
from ludus.lang import Text
from ludus.scheduling.schema import BotRow, VersionRow
from ludus.server.accounts.identity import Identity
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.bots import bots, upload
from ludus.server.bots.check_result import read_check
from ludus.server.bots.upload import Bundle
from ludus.server.git.jailed_git import ReceivedRef
from ludus.server.git.push_commands import TAG_PREFIX
from ludus.server.web.errors import not_found

MAX_SHOWN_FINDINGS = 6
MAX_NEW_VERSIONS = 3
"""The most versions of one push."""


@dataclass(frozen=True, slots=True)
class BundledCommit:
    """A commit whose files were found to be an upload."""

    refs: tuple[str, ...]
    commit: str
    subject: str
    bundle: Bundle


def bundle_commits(
    received: Sequence[ReceivedRef], known: Iterable[str], most: int
) -> list[BundledCommit]:
    """Bundle the files of each commit that is no version yet, in a limited process; raises
    LudusError with the reason."""
    by_commit: dict[str, list[ReceivedRef]] = {}
    for each in received:
        by_commit.setdefault(each.commit, []).append(each)
    new = [group for commit, group in by_commit.items() if commit not in set(known)]
    if len(new) > MAX_NEW_VERSIONS:
        raise LudusError(
            f"this push would make {len(new)} versions; push at most {MAX_NEW_VERSIONS} new"
            " commits with tags at once",
            f"此次推送将产生 {len(new)} 个版本；一次最多推送 {MAX_NEW_VERSIONS} 个带标签的新提交",
        )
    return [
        BundledCommit(
            tuple(each.ref for each in group),
            group[0].commit,
            group[0].subject,
            upload.receive_upload(group[0].files, most),
        )
        for group in new
    ]


def list_known_commits(session: Session, bot_id: int) -> dict[str, int]:
    """The numbers of the versions that were made from commits."""
    query = sql.select(VersionRow.commit_id, VersionRow.number).where(
        VersionRow.bot_id == bot_id, VersionRow.commit_id != ""
    )
    return {commit: number for commit, number in session.execute(query)}


def get_version_id(session: Session, bot_id: int, commit: str) -> int:
    """The version that was made from a commit."""
    query = sql.select(VersionRow.id).where(
        VersionRow.bot_id == bot_id, VersionRow.commit_id == commit
    )
    found = session.scalars(query).first()
    if found is None:
        raise not_found("version", "版本")
    return found


def add_version(
    session: Session, identity: Identity, rules: SiteSettings, bot: BotRow, made: BundledCommit
) -> VersionRow:
    """Make a version of a commit, as an upload would."""
    tags = [ref.removeprefix(TAG_PREFIX) for ref in made.refs if ref.startswith(TAG_PREFIX)]
    remark = " · ".join([*tags, made.subject])
    return bots.add_version(
        session,
        identity,
        rules,
        bot,
        made.bundle,
        remark=remark,
        wish=bot.ladder_pushes,
        commit=made.commit,
    )


# Words for a terminal


def describe_result(bot: BotRow, version: VersionRow) -> list[Text]:
    """What the check of a version found, line by line."""
    name = f"{bot.name} #{version.number}"
    check = read_check(version.check_result)
    findings = check.findings if check is not None else []
    if version.state == bots.GOOD:
        lines = [Text(f"{name} passed its check", f"{name} 通过了检查")]
    else:
        lines = [Text(f"{name} did not pass its check", f"{name} 未通过检查")]
    shown = [f for f in findings if f.severity in (Severity.WRONG, Severity.ODD)]
    lines += [_describe_finding(finding) for finding in shown[:MAX_SHOWN_FINDINGS]]
    if bot.ladder_version_id == version.id:
        lines.append(Text("it plays on the ladder now", "现已参加天梯"))
    return lines


def _describe_finding(finding: Finding) -> Text:
    place = finding.evidence
    where = f"{place.file}:{place.line}: " if place.file and place.line else ""
    mark = Text("error", "错误") if finding.severity is Severity.WRONG else Text("note", "注意")
    return Text(
        escape_to_one_line(f"  {mark['en']}: {where}{finding.text['en']}"),
        escape_to_one_line(f"  {mark['zh']}：{where}{finding.text['zh']}"),
    )
