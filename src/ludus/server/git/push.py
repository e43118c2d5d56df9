"""One push by git: received, stored as versions, answered with what their checks found."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field

from ludus.errors import LudusError, PlatformFault
from ludus.escape import escape_to_one_line
from ludus.lang import Text
from ludus.scheduling.schema import BotRow, VersionRow
from ludus.server.accounts import quotas
from ludus.server.accounts.identity import Identity
from ludus.server.bots import bots
from ludus.server.git import jailed_git, push_hand_in, push_versions, repositories
from ludus.server.git.jailed_git import RefUpdate, Repository
from ludus.server.git.pkt_lines import (
    DATA_BAND,
    FLUSH,
    PROGRESS_BAND,
    encode_band,
    encode_line,
)
from ludus.server.git.push_commands import (
    PushRequest,
    RefCommand,
    find_command_error,
    parse_push,
)
from ludus.server.page_links import page_link
from ludus.server.state import ServerState
from ludus.server.web.traffic_limits import TrafficCaller

log = logging.getLogger(__name__)

CHECK_WAIT_S = 90.0
"""Seconds that a push waits for the checks of its versions."""
CHECK_POLL_S = 0.25
REMARK_PAUSE_S = 10.0
"""Seconds between two lines that say that a check goes on."""
SHALLOW = Text(
    "this clone has only part of the history; run git fetch --unshallow, then push again",
    "这个克隆只有部分历史；请先运行 git fetch --unshallow，再推送",
)


@dataclass
class Push:
    """A push of a person to the repository of their bot, which was as ``repository`` says."""

    state: ServerState
    identity: Identity
    bot_id: int
    repository: Repository
    language: str
    base: str
    """The server's address, for links."""
    max_pack: int
    results: dict[str, Text | None] = field(default_factory=dict)
    """Why each ref was refused; None for those that were set."""
    remarks: list[Text] = field(default_factory=list)
    """Lines for the person before those about checks."""

    async def answer(
        self, body: bytes, caller: TrafficCaller, *, too_large: bool = False
    ) -> AsyncIterator[bytes]:
        """The parts of the answer, as they come to be known."""
        try:
            request = parse_push(body)
        except LudusError as error:
            yield encode_line(f"ERR {error.text[self.language]}".encode())
            return
        if not request.commands:
            return
        versions: list[int] = []
        try:
            commands = self._select_commands(request, too_large)
            if commands:
                async with self.state.traffic.git_requests.wait_turn(caller):
                    versions = await asyncio.to_thread(self._take, request, commands)
        except LudusError as error:
            self.remarks.clear()
            self._refuse_rest(request, error.text)
        except (PlatformFault, OSError) as fault:
            log.error("a push to bot %d failed", self.bot_id, exc_info=fault)
            self._refuse_rest(request, Text("this machine failed; push again", "本机出错；请重试"))
        await asyncio.to_thread(self._log_refused, request)
        for remark in self.remarks:
            yield self._say(request, remark)
        if versions or self.remarks:
            self.state.background.wake()
            async for line in self._follow_checks(versions):
                yield self._say(request, line)
        yield self._report(request)

    # Taking

    def _select_commands(self, request: PushRequest, too_large: bool) -> list[RefCommand]:
        """The commands that may be carried out; the reasons against others are noted."""
        selected = []
        for command in request.commands:
            why = find_command_error(command, dict(self.repository.refs))
            if why is None and too_large:
                why = jailed_git.too_large(self.max_pack).text
            elif why is None and request.shallow:
                why = SHALLOW
            self.results[command.ref] = why
            if why is None:
                selected.append(command)
        return selected

    def _refuse_rest(self, request: PushRequest, why: Text) -> None:
        for command in request.commands:
            self.results[command.ref] = self.results.get(command.ref) or why

    def _take(self, request: PushRequest, commands: list[RefCommand]) -> list[int]:
        """Store what was pushed; gives the new versions. Nothing is stored if anything is
        refused."""
        site = self.state.site
        rules = site.settings
        wish = push_hand_in.parse_options(request.options)
        with site.rate_limits.git_pushes.count_try(str(self.identity.id)):
            pass  # a push that is refused costs as much as others
        received = jailed_git.receive_pack(
            self.repository,
            request.pack,
            [RefUpdate(each.old, each.new, each.ref) for each in commands],
            max_pack=self.max_pack,
            max_files=rules.upload_kilobytes << 10,
        )
        with site.database.reading() as session:
            known = push_versions.list_known_commits(session, self.bot_id)
        made = push_versions.bundle_commits(received.refs, known, rules.upload_kilobytes << 10)
        growth = max(0, len(received.repository.pack) - len(self.repository.pack))
        with site.database.writing() as session:
            bot = bots.get_owned_bot(session, self.bot_id, self.identity)
            quotas.refuse_over_storage(session, bot, growth, rules.storage_megabytes)
            repositories.store_repository(
                session, self.bot_id, self.repository, received.repository
            )
            versions = {
                each.commit: push_versions.add_version(session, self.identity, rules, bot, each).id
                for each in made
            }
            for each in received.refs:
                repositories.log_push(
                    session,
                    self.bot_id,
                    "push",
                    each.ref,
                    each.commit,
                    "taken",
                    subject=each.subject,
                    version_id=versions.get(each.commit),
                )
            if wish is not None:
                chosen = push_versions.get_version_id(session, self.bot_id, received.refs[0].commit)
                self.remarks += push_hand_in.hand_in(session, self.identity, wish, chosen)
        return list(versions.values())

    def _log_refused(self, request: PushRequest) -> None:
        refused = [each for each in request.commands if self.results[each.ref] is not None]
        if not refused:
            return
        with self.state.site.database.writing() as session:
            for each in refused:
                why = self.results[each.ref]
                repositories.log_push(
                    session, self.bot_id, "push", each.ref, each.new, "refused", reason=why
                )

    # Answering

    async def _follow_checks(self, versions: list[int]) -> AsyncIterator[Text]:
        """Lines about the checks, until all have ended or it has taken too long."""
        deadline = time.monotonic() + CHECK_WAIT_S
        link = page_link("/bots/:id", self.bot_id, base=self.base)
        waits = bool(self.state.settings.jobs or self.state.settings.cluster)
        for id in versions:
            for line in await asyncio.to_thread(self._read_version, id, _describe_start):
                yield line
            said_at = time.monotonic()
            while waits and time.monotonic() < deadline:
                lines = await asyncio.to_thread(self._read_version, id, _describe_end)
                if lines:
                    break
                if time.monotonic() - said_at > REMARK_PAUSE_S:
                    said_at = time.monotonic()
                    yield Text("still checking…", "仍在检查……")
                await asyncio.sleep(CHECK_POLL_S)
            else:
                yield Text(f"the check goes on: {link}", f"检查仍在进行：{link}")
                continue
            for line in lines:
                yield line
        if waits:
            yield Text(link, link)

    def _read_version(
        self, id: int, describe: Callable[[BotRow, VersionRow], list[Text]]
    ) -> list[Text]:
        with self.state.site.database.reading() as session:
            version = session.get_one(VersionRow, id)
            return describe(session.get_one(BotRow, version.bot_id), version)

    def _say(self, request: PushRequest, text: Text) -> bytes:
        if not request.uses_bands:
            return b""
        return encode_band(PROGRESS_BAND, f"{text[self.language]}\n".encode())

    def _report(self, request: PushRequest) -> bytes:
        """Which refs were set and why others were not, as git expects it."""
        if not request.wants_report:
            return FLUSH
        lines = b"".join(encode_line(line) for line in _report_lines(self.results, self.language))
        report = lines + FLUSH
        return encode_band(DATA_BAND, report) + FLUSH if request.uses_bands else report


def _report_lines(results: Mapping[str, Text | None], language: str) -> Iterator[bytes]:
    yield b"unpack ok\n"
    for ref, why in results.items():
        if why is None:
            yield f"ok {ref}\n".encode()
        else:
            yield f"ng {ref} {escape_to_one_line(why[language])}\n".encode()


def _describe_start(bot: BotRow, version: VersionRow) -> list[Text]:
    name = f"{bot.name} #{version.number}"
    return [Text(f"{name} is being checked…", f"正在检查 {name}……")]


def _describe_end(bot: BotRow, version: VersionRow) -> list[Text]:
    """The result of a check; empty while it goes on."""
    if version.state == bots.CHECKING:
        return []
    return push_versions.describe_result(bot, version)
