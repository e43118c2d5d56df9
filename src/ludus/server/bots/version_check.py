"""The check of a new version: can it be read, is it allowed, does it play on every seat?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ludus.bots.resolve import BotSource, resolve_house_bot
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.lang import Text
from ludus.match.record import pack, remove_traces
from ludus.match.series import BoutPairing, SeriesBout, collect_outputs
from ludus.match.task import MatchTask
from ludus.sandbox.fault import PlatformFault
from ludus.scheduling.database import DatabaseUnavailable
from ludus.server.bots import import_policy

PlayTask = Callable[[MatchTask], SeriesBout]
"""Plays a task of one bout somewhere; LudusError if a bot cannot be made to run."""
USUAL_OPPONENT = "random"
"""The usual opponent in a check, where the game has one."""
EMPTY_TEXT: Text = {"en": "", "zh": ""}


@dataclass
class VersionCheckReport:
    """What a check has found so far."""

    static: list[dict[str, Any]] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    stdout: str = ""
    stderr: str = ""
    records: list[bytes] = field(default_factory=list)
    language: str = ""
    built: int = 0
    """Bytes that its compiler made of it."""

    @property
    def passed(self) -> bool:
        return not self.static and all(step["ok"] for step in self.steps)

    def as_json(self) -> dict[str, Any]:
        return {
            "static": self.static,
            "steps": self.steps,
            "stdout": self.stdout,
            "stderr": self.stderr,
        }

    def add_step(self, name: Text, ok: bool, why: Text = EMPTY_TEXT, **more: Any) -> bool:
        self.steps.append({"name": name, "ok": ok, "why": why, **more})
        return ok


def check_version(
    version_id: int,
    files: Mapping[str, bytes],
    game: Game,
    allowed: Sequence[str] | None,
    source: Callable[[], BotSource],
    play: PlayTask,
    level: str | None = None,
) -> VersionCheckReport:
    """Check a version, step by step, until one fails."""
    trial, name = VersionCheckReport(), {"en": "its text", "zh": "代码检查"}
    try:
        trial.static = import_policy.find_objections_limited(files, game, allowed)
    except LudusError as error:
        trial.add_step(name, False, error.text)
        return trial
    if trial.static:
        first = trial.static[0]
        why = {
            lang: f"{first['file']}:{first['line']}: {said}" for lang, said in first["why"].items()
        }
        trial.add_step(name, False, why)
        return trial
    trial.add_step(name, True)
    try:
        bot = source()
    except DatabaseUnavailable:
        raise
    except LudusError as error:
        trial.stderr = error.detail
        trial.add_step({"en": "it is a bot", "zh": "是一个 AI"}, False, error.text)
        return trial
    trial.language = bot.build_spec.language.name if bot.build_spec.language else ""
    for seat in range(len(game.seats)):
        if not _play_seat(trial, version_id, game, bot, seat, play, level):
            break
    if trial.passed:
        trial.built = bot.build_spec.built_bytes()
    return trial


def _play_seat(
    trial: VersionCheckReport,
    version_id: int,
    game: Game,
    bot: BotSource,
    seat: int,
    play: PlayTask,
    level: str | None,
) -> bool:
    """One bout on a seat; losing it is no fault."""
    rival = choose_opponent(game)
    as_what = game.seats[seat]
    name = {
        "en": f"plays as {as_what['en']} against {rival}",
        "zh": f"作为{as_what['zh']}与 {rival} 对局",
    }
    others = iter(range(1, len(game.seats)))
    order = tuple(0 if number == seat else next(others) for number in range(len(game.seats)))
    task = MatchTask(
        game=game.name,
        version=game.version,
        options=game.Options().as_json(),
        sources=(bot, *[resolve_house_bot(rival, game)] * (len(game.seats) - 1)),
        pairings=(BoutPairing(0, seat + 1, order),),
        level=level,
    )
    try:
        played = play(task)
    except (LudusError, PlatformFault) as error:
        if isinstance(error, PlatformFault):
            raise
        trial.stderr = error.detail
        return trial.add_step(name, False, error.text)
    film = f"check-{version_id}-{len(trial.records)}"
    trial.records.append(pack(remove_traces(played.record)))
    said = collect_outputs(played)[seat]
    trial.stdout, trial.stderr = said["stdout"], said["stderr"] or said["trace"]
    mine = [fault for fault in played.record.faults if fault.seat == seat]
    if not mine:
        return trial.add_step(name, True, film=film)
    if mine[0].trace and mine[0].trace not in trial.stderr:
        trial.stderr += f"\n{mine[0].trace}"
    return trial.add_step(name, False, dict(mine[0].why), film=film)


def choose_opponent(game: Game) -> str:
    house = list(game.bots())
    return USUAL_OPPONENT if USUAL_OPPONENT in house else house[0]
