"""The check of a new version: can it be read, is it allowed, does it play on every seat?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ludus.bots.resolve import Source, find_house
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.lang import Text
from ludus.match.record import pack, without_traces
from ludus.match.series import Pairing, Played, outputs_of
from ludus.match.task import Task
from ludus.sandbox.fault import PlatformFault
from ludus.scheduling.database import StoreTrouble
from ludus.server.bots import import_policy

Play = Callable[[Task], Played]
"""Plays a task of one bout somewhere; LudusError if a bot cannot be made to run."""
RIVAL = "random"
"""The usual opponent in a check, where the game has one."""
NOTHING: Text = {"en": "", "zh": ""}


@dataclass
class Trial:
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
    def good(self) -> bool:
        return not self.static and all(step["ok"] for step in self.steps)

    def as_json(self) -> dict[str, Any]:
        return {
            "static": self.static,
            "steps": self.steps,
            "stdout": self.stdout,
            "stderr": self.stderr,
        }

    def step(self, name: Text, ok: bool, why: Text = NOTHING, **more: Any) -> bool:
        self.steps.append({"name": name, "ok": ok, "why": why, **more})
        return ok


def examine(
    version_id: int,
    files: Mapping[str, bytes],
    game: Game,
    allowed: Sequence[str] | None,
    source: Callable[[], Source],
    play: Play,
    level: str | None = None,
) -> Trial:
    """Check a version, step by step, until one fails."""
    trial, name = Trial(), {"en": "its text", "zh": "代码检查"}
    try:
        trial.static = import_policy.limited_objections(files, game, allowed)
    except LudusError as error:
        trial.step(name, False, error.text)
        return trial
    if trial.static:
        first = trial.static[0]
        why = {
            lang: f"{first['file']}:{first['line']}: {said}" for lang, said in first["why"].items()
        }
        trial.step(name, False, why)
        return trial
    trial.step(name, True)
    try:
        bot = source()
    except StoreTrouble:
        raise
    except LudusError as error:
        trial.stderr = error.detail
        trial.step({"en": "it is a bot", "zh": "是一个 AI"}, False, error.text)
        return trial
    trial.language = bot.recipe.language.name if bot.recipe.language else ""
    for seat in range(len(game.seats)):
        if not _plays(trial, version_id, game, bot, seat, play, level):
            break
    if trial.good:
        trial.built = bot.recipe.built_bytes()
    return trial


def _plays(
    trial: Trial, version_id: int, game: Game, bot: Source, seat: int, play: Play, level: str | None
) -> bool:
    """One bout on a seat; losing it is no fault."""
    rival = rival_of(game)
    as_what = game.seats[seat]
    name = {"en": f"plays as {as_what} against {rival}", "zh": f"作为 {as_what} 与 {rival} 对局"}
    others = iter(range(1, len(game.seats)))
    order = tuple(0 if number == seat else next(others) for number in range(len(game.seats)))
    task = Task(
        game=game.name,
        version=game.version,
        options=game.Options().as_json(),
        sources=(bot, *[find_house(rival, game)] * (len(game.seats) - 1)),
        pairings=(Pairing(0, seat + 1, order),),
        level=level,
    )
    try:
        played = play(task)
    except (LudusError, PlatformFault) as error:
        if isinstance(error, PlatformFault):
            raise
        trial.stderr = error.detail
        return trial.step(name, False, error.text)
    film = f"check-{version_id}-{len(trial.records)}"
    trial.records.append(pack(without_traces(played.record)))
    said = outputs_of(played)[seat]
    trial.stdout, trial.stderr = said["stdout"], said["stderr"] or said["trace"]
    mine = [fault for fault in played.record.faults if fault.seat == seat]
    if not mine:
        return trial.step(name, True, film=film)
    if mine[0].trace and mine[0].trace not in trial.stderr:
        trial.stderr += f"\n{mine[0].trace}"
    return trial.step(name, False, dict(mine[0].why), film=film)


def rival_of(game: Game) -> str:
    house = list(game.bots())
    return RIVAL if RIVAL in house else house[0]
