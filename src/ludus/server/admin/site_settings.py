"""The settings that the organiser can change: who may register, and limits for everybody."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec
import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.bots.resolve import list_house_bots
from ludus.bots.seat_schemes import open_seat
from ludus.contest.settings import parse_contest_settings
from ludus.errors import LudusError
from ludus.games.registry import get_listed, names, sample_names
from ludus.match.bot_check.trials import CheckPlan, Trial
from ludus.scheduling.schema import SettingRow
from ludus.server.accounts.identity import Identity
from ludus.server.admin import audit
from ludus.server.bots.upload_limits import (
    DEFAULT_UPLOAD_KILOBYTES,
    MAX_REPOSITORY_MEGABYTES,
    MAX_UPLOAD_KILOBYTES,
)
from ludus.server.web.errors import Forbidden

Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Module = Annotated[str, msgspec.Meta(min_length=1, max_length=60, pattern=r"^[A-Za-z_][\w.]*$")]
Modules = Annotated[list[Module], msgspec.Meta(max_length=200)]
SAFE_NAME_PATTERN = r"^(?!\.)[^/\\\x00-\x1f\x7f]{1,60}$"
"""The name of a game or a house bot: anything that cannot be a path."""
GitHost = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9.:\[\]-]{1,200}$")]
GameName = Annotated[str, msgspec.Meta(pattern=SAFE_NAME_PATTERN)]


FURTHER_TRIALS: list[Trial] = [trial for trial in Trial if trial is not Trial.SEATS]
SETTINGS_BY_GAME = {
    "ladders",
    "ladder_house",
    "ladder_models",
    "ladder_clock",
    "ladder_options",
    "ladder_openings",
    "imports",
}
"""Settings that are dictionaries by game."""


class SiteSettings(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Every setting of the site with its default."""

    register: bool = True
    """Whether anybody may register; otherwise only with an invitation to a class."""
    guests: bool = True
    """Whether people without an account may play and start matches."""
    upload_kilobytes: Annotated[int, msgspec.Meta(ge=1, le=MAX_UPLOAD_KILOBYTES)] = (
        DEFAULT_UPLOAD_KILOBYTES
    )
    """The most kilobytes of one upload; unpacked it may be eight times as large."""
    storage_megabytes: Count = 256
    """The most megabytes of all versions of one person, packed, unpacked and compiled; the staff
    has no limit."""
    repository_megabytes: Annotated[int, msgspec.Meta(ge=1, le=MAX_REPOSITORY_MEGABYTES)] = 32
    """The most megabytes of a bot's repository with its history."""
    git_hosts: Annotated[list[GitHost], msgspec.Meta(max_length=50)] = []
    """Hosts (``git.example.org`` or ``10.0.0.5:3000``) that bots may be tied to although their
    addresses are not public, or although they have no HTTPS."""
    bots_per_game: Count = 5
    """The most bots of one person or team."""
    uploads_a_day: Count = 200
    bouts_a_day: Count = 1000
    """The most bouts in challenges that one person starts in a day."""
    opponents_a_day: Count = 100
    """The most opponents in batch tests that one person starts in a day."""
    clock_seconds: Annotated[int, msgspec.Meta(ge=1, le=86400)] = 120
    """The longest clock of a challenge: a seat's time for a bout, or for a move."""
    jail: Literal["strong", "userns", "plain"] | None = None
    """Uploads are refused on a machine whose jail is weaker; None: userns."""
    ladders: dict[GameName, bool] = {}
    """Games whose ladder does not play; all others do."""
    ladder_enough: Annotated[float, msgspec.Meta(ge=0, le=1000)] = 15.0
    """A ladder pauses when every rating is known to ± so many Elo; 0: it never pauses."""
    ladder_house: dict[GameName, list[GameName]] = {}
    """By game: the house bots on its ladder; for other games, those that answer quickly."""
    ladder_models: dict[GameName, Annotated[list[GameName], msgspec.Meta(max_length=10)]] = {}
    """By game: the language models on its ladder, by their names in the server's ``llm.toml``."""
    model_bouts_a_day: Count = 100
    """The most bouts that a language model plays on a ladder within a day."""
    ladder_clock: dict[GameName, dict[str, Any]] = {}
    """By game: the clock on its ladder, such as ``{"budget": 10}``; for other games, the game's
    own."""
    ladder_options: dict[GameName, dict[str, Any]] = {}
    """By game: its options on the ladder. Another clock or other options start a new ladder."""
    ladder_openings: dict[GameName, Annotated[str, msgspec.Meta(max_length=20)]] = {}
    """By game: the openings on its ladder (suite, random:N, none); for other games, the game's
    own. The ladder goes on with other openings."""
    imports: dict[GameName, Modules | None] = {}
    """By game: the modules that Python bots may import; for other games, any."""
    outputs_days: Count = 30
    """Days after which the output of bots is deleted; 0: never."""
    check_trials: Annotated[list[Trial], msgspec.Meta(max_length=len(Trial))] = msgspec.field(
        default_factory=FURTHER_TRIALS.copy
    )
    """The trials of an upload's check, besides a bout on every seat, which is always played."""
    check_bouts: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 40
    """A check starts no further trial that would play more bouts than this."""
    check_seconds: Annotated[int, msgspec.Meta(ge=1, le=86400)] = 120
    """A check starts no further trial after so many seconds."""

    def check_plan(self) -> CheckPlan:
        """How much the check of an upload plays."""
        return CheckPlan(frozenset(self.check_trials), self.check_bouts, self.check_seconds)


def _check_games(found: SiteSettings, changed: Iterable[str]) -> None:
    """Refuse unknown games, and bots, options or clocks that no ladder can use. Only changed
    settings are checked: a game may have been removed since the others were made."""
    names_now = {*names(), *sample_names()}
    for key in SETTINGS_BY_GAME & set(changed):
        for game in getattr(found, key):
            if game not in names_now:
                raise LudusError(
                    f"{key}: there is no game {game!r} here", f"{key}：这里没有游戏 {game!r}"
                )
    for game, bots in found.ladder_house.items() if "ladder_house" in changed else ():
        known = list(list_house_bots(get_listed(game)))
        if unknown := [bot for bot in bots if bot not in known]:
            raise LudusError(
                f"ladder_house: {game} has no house bot {unknown[0]!r}, only {', '.join(known)}",
                f"ladder_house：{game} 没有自带 AI {unknown[0]!r}，只有 {'、'.join(known)}",
            )
    for game, models in found.ladder_models.items() if "ladder_models" in changed else ():
        for model in models:
            open_seat(f"llm:{model}", get_listed(game))  # refuses what the server does not know
    terms_changed = {"ladder_clock", "ladder_options", "ladder_openings"} & set(changed)
    for game in {game for key in terms_changed for game in getattr(found, key)}:
        terms = {
            "clock": found.ladder_clock.get(game, {}),
            "options": found.ladder_options.get(game, {}),
            "openings": found.ladder_openings.get(game, ""),
        }
        parse_contest_settings({"name": "ladder", "game": game, **terms}, f"{game}").check()


def read_settings(session: Session) -> SiteSettings:
    """The settings. A stored value that is not valid any more counts as its default."""
    rows = session.scalars(sql.select(SettingRow))
    kept = {row.key: row.value for row in rows if not find_setting_error(row.key, row.value)}
    known = {key: value for key, value in kept.items() if key in SiteSettings.__struct_fields__}
    return msgspec.convert(known, SiteSettings)


def find_setting_error(key: str, value: Any) -> str:
    """What is wrong with a single setting; empty if it is valid or unknown."""
    if key not in SiteSettings.__struct_fields__:
        return ""
    try:
        msgspec.convert({key: value}, SiteSettings)
    except msgspec.ValidationError as error:
        return str(error)
    return ""


def remove_plain_jail(session: Session) -> None:
    """Remove a stored ``jail`` of ``plain``, for servers that were not started with
    --allow-plain."""
    row = session.get(SettingRow, "jail")
    if row is not None and row.value == "plain":
        session.delete(row)


def change_settings(
    session: Session, identity: Identity, changes: dict[str, Any], *, allow_plain: bool = False
) -> SiteSettings:
    """Change some settings by name; all are checked before any is stored.

    Only the person who starts the server may let strangers' programs run without a strong jail, so
    ``plain`` is refused unless the server was started with --allow-plain.
    """
    before = msgspec.to_builtins(read_settings(session))
    merged = {**before, **changes}
    try:
        found = msgspec.convert(merged, SiteSettings)
    except msgspec.ValidationError as error:
        raise LudusError(f"settings: {error}", f"设置有误：{error}") from None
    if found.jail == "plain" and not allow_plain:
        raise Forbidden(
            "isolation: the low level does not keep programs apart; it can be chosen only if the"
            " person who runs the server has allowed it there",
            "隔离级别：“低”不能约束任何程序；须由运行服务器的人先在服务器上允许，才能选择",
        )
    _check_games(found, changes)
    for key in changes:
        row = session.get(SettingRow, key) or SettingRow(key=key)
        row.value = msgspec.to_builtins(getattr(found, key))
        session.add(row)
    told = audit.list_changes(before, msgspec.to_builtins(found))
    audit.log_action(session, identity, "settings changed", changes=told)
    return found
