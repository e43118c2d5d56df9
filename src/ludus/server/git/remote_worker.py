"""The thread of the background process that fetches announced pushes and reports what their checks
found. A host that does not answer costs nothing but time: pushes wait in the database."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.errors import LudusError, PlatformFault
from ludus.lang import Text
from ludus.sandbox import choose_level
from ludus.scheduling.database import DatabaseUnavailable
from ludus.scheduling.schema import BotRow, GitPushRow, GitRemoteRow, UserRow, VersionRow
from ludus.scheduling.schema.git import HostKind
from ludus.server.accounts import sessions
from ludus.server.accounts.identity import STUDENT, UPLOAD, Identity
from ludus.server.admin import site_settings
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.bots import bots
from ludus.server.database import Database
from ludus.server.git import jailed_git, push_versions
from ludus.server.git.commit_status import CommitResult, send_status
from ludus.server.git.jailed_git import EMPTY_REPOSITORY, RefUpdate
from ludus.server.git.push_commands import ZERO_ID
from ludus.server.git.remote_fetch import RemoteAccess, fetch_commit
from ludus.server.git.remotes import open_access
from ludus.server.page_links import page_link
from ludus.server.web.errors import permission_denied

log = logging.getLogger(__name__)

POLL_INTERVAL_S = 2.0
MAX_FETCH_STARTS = 3
"""A push whose fetch was started so often without ending is refused."""


@dataclass(frozen=True, slots=True)
class _Announced:
    """A push to be fetched, with everything that it takes."""

    id: int
    bot_id: int
    ref: str
    announced_id: str
    starts: int
    access: RemoteAccess
    identity: Identity
    rules: SiteSettings


@dataclass(frozen=True, slots=True)
class _DueStatus:
    """A status to be sent."""

    id: int
    access: RemoteAccess
    kind: HostKind
    commit: str
    result: CommitResult
    description: str
    link: str


class RemoteWorker:
    """Fetches one push at a time."""

    def __init__(
        self,
        database: Database,
        stop_event: threading.Event,
        on_version: Callable[[int], None] = lambda id: None,
    ) -> None:
        """``on_version`` is called with the id of each new version."""
        self.database, self.on_version = database, on_version
        self.wake_event = threading.Event()
        self.thread = threading.Thread(target=self._run, name="remotes", daemon=True)
        self._stop_event = stop_event

    def _run(self) -> None:
        while not self._stop_event.is_set():
            try:
                worked = self.fetch_next() or self.send_next_status()
            except DatabaseUnavailable:
                worked = False
            except Exception:  # an unexpected error must not stop later pushes
                log.exception("a remote could not be handled")
                worked = False
            if not worked:
                self.wake_event.wait(POLL_INTERVAL_S)
                self.wake_event.clear()

    # Fetching

    def fetch_next(self) -> bool:
        """Fetch the push that has waited longest; False if none waits."""
        if not self.database.exists():
            return False
        try:
            found = self._take_next()
        except LudusError as error:
            log.warning("a push cannot be fetched: %s", error.text["en"])
            return True
        if found is None:
            return False
        try:
            if found.starts >= MAX_FETCH_STARTS:
                raise _never_finished(found.starts)
            self._fetch(found)
        except DatabaseUnavailable:
            raise
        except (LudusError, PlatformFault, OSError) as error:
            why = error.text if isinstance(error, LudusError) else _machine_failed()
            self._refuse(found.id, why)
        return True

    def _take_next(self) -> _Announced | None:
        """The next push, whose start is stored before its fetch begins."""
        with self.database.writing() as session:
            query = sql.select(GitPushRow).where(GitPushRow.state == "waiting")
            row = session.scalars(query.order_by(GitPushRow.id).limit(1)).first()
            if row is None:
                return None
            rules = site_settings.read_settings(session)
            remote = session.get(GitRemoteRow, row.bot_id)
            starts, row.attempts = row.attempts, row.attempts + 1
            try:
                if remote is None:
                    raise permission_denied()
                identity = _identify(session, remote)
                access = open_access(remote, rules.git_hosts)
            except LudusError as error:
                row.state, row.reason = "refused", dict(error.text)
                return None
            return _Announced(
                row.id, row.bot_id, row.ref, row.announced_id, starts, access, identity, rules
            )

    def _fetch(self, push: _Announced) -> None:
        rules = push.rules
        max_pack = rules.repository_megabytes << 20
        fetched = fetch_commit(push.access, push.ref, push.announced_id, max_pack)
        received = jailed_git.receive_pack(
            EMPTY_REPOSITORY,
            fetched.pack,
            [RefUpdate(ZERO_ID, fetched.id, push.ref)],
            max_pack=max_pack,
            max_files=rules.upload_kilobytes << 10,
            shallow=fetched.shallow,
            level=choose_level(rules.jail),
        )
        with self.database.reading() as session:
            known = push_versions.list_known_commits(session, push.bot_id)
        made = push_versions.bundle_commits(received.refs, known, rules.upload_kilobytes << 10)
        with self.database.writing() as session:
            bot = bots.get_owned_bot(session, push.bot_id, push.identity)
            row = session.get_one(GitPushRow, push.id)
            remote = session.get_one(GitRemoteRow, push.bot_id)
            remote.known_hosts = fetched.known_hosts or remote.known_hosts
            [found] = received.refs
            row.commit_id, row.subject, row.state = found.commit, found.subject, "taken"
            for each in made:
                row.version_id = push_versions.add_version(
                    session, push.identity, rules, bot, each
                ).id
            if not made:
                row.version_id = push_versions.get_version_id(session, push.bot_id, found.commit)
            row.status = "due" if remote.access_token else ""
            version_id = row.version_id
        if made and version_id is not None:
            self.on_version(version_id)

    def _refuse(self, id: int, why: Text) -> None:
        with self.database.writing() as session:
            row = session.get(GitPushRow, id)
            if row is None:
                return
            remote = session.get(GitRemoteRow, row.bot_id)
            row.state, row.reason = "refused", dict(why)
            row.status = "due" if remote is not None and remote.access_token else ""

    # Reporting

    def send_next_status(self) -> bool:
        """Send a commit status that is due; False if none is."""
        if not self.database.exists():
            return False
        due = self._find_due_status()
        if due is None:
            return False
        state = "pending" if due.result is CommitResult.CHECKING else "sent"
        try:
            send_status(due.access, due.kind, due.commit, due.result, due.description, due.link)
        except LudusError as error:
            log.warning("a commit status was not taken: %s", error.text["en"])
            state = "failed"
        with self.database.writing() as session:
            row = session.get(GitPushRow, due.id)
            if row is not None:
                row.status = state  # type: ignore[assignment]
        return True

    def _find_due_status(self) -> _DueStatus | None:
        with self.database.reading() as session:
            query = sql.select(GitPushRow).where(GitPushRow.status.in_(("due", "pending")))
            for row in session.scalars(query.order_by(GitPushRow.id)):
                if (due := self._make_status(session, row)) is not None:
                    return due
        return None

    def _make_status(self, session: Session, row: GitPushRow) -> _DueStatus | None:
        remote, bot = session.get(GitRemoteRow, row.bot_id), session.get(BotRow, row.bot_id)
        if remote is None or bot is None or not row.commit_id:
            return None
        version = session.get(VersionRow, row.version_id) if row.version_id else None
        if version is not None:
            result, words = _describe_version(bot, version)
        else:
            result, words = CommitResult.FAILED, Text.of(row.reason or {})
        if row.status == "pending" and result is CommitResult.CHECKING:
            return None
        language = session.get_one(UserRow, remote.user_id).language or "en"
        access = open_access(remote, site_settings.read_settings(session).git_hosts)
        link = page_link("/bots/:id", bot.id, base=remote.site_url)
        return _DueStatus(
            row.id, access, remote.host_kind, row.commit_id, result, words[language], link
        )


def _identify(session: Session, remote: GitRemoteRow) -> Identity:
    """The person who tied the remote, if they still may."""
    user = session.get_one(UserRow, remote.user_id)
    identity = sessions.make_identity(
        session, user, "token", role=STUDENT, scopes=frozenset({UPLOAD})
    )
    bots.get_owned_bot(session, remote.bot_id, identity)
    return identity


def _describe_version(bot: BotRow, version: VersionRow) -> tuple[CommitResult, Text]:
    if version.state == bots.CHECKING:
        name = f"{bot.name} #{version.number}"
        return CommitResult.CHECKING, Text(f"{name} is being checked", f"正在检查 {name}")
    good = version.state == bots.GOOD
    lines = push_versions.describe_result(bot, version)
    shown = lines[:1] if good else lines[:2]
    text = Text(
        ":".join(line["en"] for line in shown), "：".join(line["zh"].strip() for line in shown)
    )
    return (CommitResult.PASSED if good else CommitResult.FAILED), text


def _never_finished(starts: int) -> LudusError:
    return LudusError(
        f"its fetch was started {starts} times and never finished; push again",
        f"下载开始了 {starts} 次，从未完成；请重新推送",
    )


def _machine_failed() -> Text:
    return Text("this machine failed; push again", "本机出错；请重新推送")
