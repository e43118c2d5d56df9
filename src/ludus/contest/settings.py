"""A contest as a file that people read: ``contest.toml``."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from ludus.contest.formats import AnyFormat, RoundRobin, get_knockout
from ludus.contest.match_bouts import MatchRules
from ludus.contest.model import Pairing, Seed, check_name
from ludus.contest.settings_help import collect_notes, remove_hidden
from ludus.contest.standings import check_tie_breaks
from ludus.contest.validation import explain_validation_error
from ludus.errors import LudusError
from ludus.games.base import Clock, Game
from ludus.games.openings import (
    NONE,
    Openings,
    default_spec,
    is_suite_file,
    read_suite_lines,
    resolve_openings,
)
from ludus.games.registry import get
from ludus.match.clock import refuse_long_clock
from ludus.os_errors import describe_os_error

OpeningLine = Annotated[str, msgspec.Meta(max_length=1000)]
RULES_WITH_NEW_DEFAULTS = ("extra", "extra_seats")
STAGES = ("league", "knockout", "third", "final")


class ClockSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A time control; what is left out is as in the game's own."""

    budget: float | None = None
    increment: float | None = None
    per_move: float | None = None
    measure: Literal["cpu", "wall"] | None = None
    patience: float | None = None

    def for_game(self, game: Game, budget: float | None = None) -> Clock:
        changes = {
            key: value for key, value in msgspec.structs.asdict(self).items() if value is not None
        }
        if budget is not None:
            changes["budget"] = budget
        return dataclasses.replace(game.clock, **changes)


class BotEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A bot that takes part."""

    bot: str
    """A house bot, a file, a folder or ``cmd:PROGRAM``; paths begin at the contest's folder."""
    name: str = ""
    """What it is called in tables; by default after its file."""
    seed: Seed = 0
    group: str = ""

    def __post_init__(self) -> None:
        if self.name:
            check_name(self.name)


class ContestSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that is fixed before a contest begins."""

    name: str
    game: str
    seed: Seed = 0
    """Fixes everything left to chance."""
    options: dict[str, Any] = {}
    clock: ClockSettings = ClockSettings()
    format: AnyFormat = RoundRobin()
    match: MatchRules = MatchRules()
    stages: dict[str, dict[str, Any]] = {}
    """What differs from ``match`` in the stages league, knockout, third and final."""
    isolate: bool | None = None
    """True: house bots too run in processes of their own; false: all bots run inside Ludus."""
    jail: str | None = None
    openings: str | tuple[OpeningLine, ...] = ""
    """``suite``, ``random:N``, ``none``, or a list of openings; in a file also the name of a text
    file with one opening per line. Empty: the game's default."""
    database: str = ""
    """Where results are kept: a file, or ``postgresql://…``; by default a file beside this one."""
    entrants: tuple[BotEntry, ...] = ()

    def __post_init__(self) -> None:
        check_name(self.name)
        for stage in self.stages:
            if stage not in STAGES:
                raise LudusError(
                    f"there is no stage {stage!r}; there are: {', '.join(STAGES)}",
                    f"没有名为 {stage!r} 的阶段；现有：{'、'.join(STAGES)}",
                )
            self.rules_for_stage(stage)
        league = getattr(self.format, "league", self.format)
        check_tie_breaks(getattr(getattr(league, "league", league), "tie_breaks", ()))

    def rules_for_pairing(self, pairing: Pairing) -> MatchRules:
        return self.rules_for_stage(pairing.stage)

    def rules_for_stage(self, stage: str) -> MatchRules:
        """The rules of a stage: those of all matches, with what differs there."""
        if not (changes := self.stages.get(stage)):
            return self.match
        merged = {**msgspec.to_builtins(self.match), **changes}
        rules: MatchRules = convert(merged, MatchRules, f"stages.{stage}")
        return rules

    def check(self) -> None:
        """Refuse a game, options, openings or a clock that this Ludus does not know."""
        game = get(self.game)
        game.Options.parse(self.options)
        self.load_openings()
        for stage in STAGES:
            refuse_long_clock(self.clock.for_game(game, self.rules_for_stage(stage).budget))

    def load_openings(self) -> Openings:
        """Where the openings of its bouts come from."""
        game = get(self.game)
        return resolve_openings(self.openings, game, game.Options.parse(self.options), files=False)

    def with_default_openings(self) -> ContestSettings:
        """The same settings, with the game's default openings if none are chosen.

        A contest keeps the openings with which it began, whatever becomes the default later.
        """
        if self.openings:
            return self
        game = get(self.game)
        spec = default_spec(game, game.Options.parse(self.options))
        return msgspec.structs.replace(self, openings=spec)

    def frozen_fields(self) -> dict[str, Any]:
        """What must not change once a contest has begun: all but entrants and database."""
        facts: dict[str, Any] = msgspec.to_builtins(self)
        for key in ("entrants", "database"):
            del facts[key]
        return facts


def convert(value: Any, kind: Any, where: str) -> Any:
    """A checked value from plain data, or a sentence that says where it is wrong."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise explain_validation_error(where, error, kind, value) from None


def parse_contest_settings(data: Mapping[str, Any], where: str) -> ContestSettings:
    settings: ContestSettings = convert(dict(data), ContestSettings, where)
    return settings


def parse_stored_settings(data: Mapping[str, Any], where: str) -> ContestSettings:
    """The settings of a contest that has begun. Contests older than openings are played without."""
    return parse_contest_settings({"openings": NONE, **data}, where)


def read_contest_settings(path: Path, stored: ContestSettings | None = None) -> ContestSettings:
    """The settings in a file; LudusError says what is wrong.

    ``stored`` is what the contest began with: rules whose defaults have changed since are taken
    from there if the file leaves them out, so that the contest goes on as it began.
    """
    data = _read_toml(path)
    settings = parse_contest_settings(data, str(path))
    if stored is not None:
        rules = msgspec.to_builtins(stored.match)
        kept = {key: rules[key] for key in RULES_WITH_NEW_DEFAULTS}
        data["match"] = {**kept, **data.get("match", {})}
        settings = parse_contest_settings(data, str(path))
    return _read_openings_file(settings, path.parent)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(f"cannot read {path}: {why.en}", f"无法读取 {path}：{why.zh}") from None
    except (ValueError, RecursionError) as error:
        raise LudusError(
            f"{path} is not valid TOML: {error}", f"{path} 不是有效的 TOML：{error}"
        ) from None


def _read_openings_file(settings: ContestSettings, folder: Path) -> ContestSettings:
    """The settings with the openings of the file that they name, relative to their folder."""
    if not isinstance(settings.openings, str) or not is_suite_file(settings.openings):
        return settings
    lines = read_suite_lines(folder / Path(settings.openings).expanduser())
    return msgspec.structs.replace(settings, openings=tuple(lines))


def format_contest_settings(settings: ContestSettings, *, head: str = "") -> str:
    """The text of a file with every setting that matters to its format, and what it means."""
    from ludus.contest.toml_text import format_document  # slow to import, and seldom needed

    facts: dict[str, Any] = msgspec.to_builtins(settings)
    for key in ("isolate", "jail"):
        if facts[key] is None:
            del facts[key]
    for key in ("options", "clock", "stages", "openings", "database"):
        if not facts[key]:
            del facts[key]
    if get_knockout(settings.format) is None:
        facts["match"] = _remove_knockout_rules(facts["match"])
    facts = remove_hidden(facts)
    return "".join(f"# {line}".rstrip() + "\n" for line in head.splitlines()) + (
        "\n" * bool(head) + format_document(facts, collect_notes(facts))
    )


def _remove_knockout_rules(match: dict[str, Any]) -> dict[str, Any]:
    """Without what applies only to matches that must have a winner, unless it was set."""
    usual = msgspec.to_builtins(MatchRules())
    keys = ("extra", "extra_seats", "last")
    return {key: rule for key, rule in match.items() if key not in keys or rule != usual[key]}
