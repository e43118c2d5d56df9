"""An assignment: rivals of rising strength, what each is worth, and when work has to be in."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal

import msgspec

from ludus.contest.formats import Gauntlet
from ludus.contest.match_bouts import MatchRules
from ludus.contest.model import Seed
from ludus.contest.settings import ClockSettings, ContestSettings
from ludus.errors import LudusError
from ludus.games.registry import get_listed

MAX_RIVALS = 30
MAX_BOUTS_PER_RIVAL = 200
MAX_POINTS = 10_000

Points = Annotated[float, msgspec.Meta(ge=0, le=MAX_POINTS)]
Percent = Annotated[float, msgspec.Meta(ge=0, le=100)]
Rounding = Literal["1", "0.5", "0.1", "0.01"]
PUBLIC, HIDDEN = "public", "hidden"


class Rival(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bot that every submission meets, and what its bouts are worth."""

    bot: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    """A house bot (``greedy``, ``search:200``, ``learned:easy``), or ``v12`` for a version."""
    level: Annotated[int, msgspec.Meta(ge=1, le=99)]
    """Its place among the rivals; all that students know of a hidden one before its time."""
    hidden: bool = False
    points: Points = 10.0
    from_percent: Percent = 0.0
    """A share of the score up to here gives nothing."""
    full_percent: Percent = 100.0
    """From this share on all points are given; in between they grow in proportion."""


class LadderBand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Points for those whose best bot on the ladder is at this place of the class or better."""

    place: Annotated[int, msgspec.Meta(ge=1, le=10_000)]
    points: Points


class ManualPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that a teacher judges, such as a report."""

    title: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    points: Points
    rubric: Annotated[str, msgspec.Meta(max_length=2000)] = ""
    """What is expected for how many points."""


class GradingRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What gives points besides the rivals, and how the total is rounded."""

    no_fault: Points = 0.0
    """Points for bouts without a fault of one's own."""
    no_fault_share: bool = False
    """Whether they are given in proportion to the bouts without a fault; else only if there is
    no fault at all."""
    ladder: Annotated[tuple[LadderBand, ...], msgspec.Meta(max_length=20)] = ()
    manual: Annotated[tuple[ManualPart, ...], msgspec.Meta(max_length=20)] = ()
    round_to: Rounding = "0.1"


class LateRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What becomes of work after the deadline."""

    days: Annotated[int, msgspec.Meta(ge=0, le=60)] = 0
    """So many days late is still accepted."""
    percent_a_day: Percent = 10.0
    """Taken off the points of the bouts for each day that has begun."""


class AssignmentSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything about an assignment but its name and its times."""

    game: Annotated[str, msgspec.Meta(max_length=60)]
    options: dict[str, Any] = {}
    clock: ClockSettings = ClockSettings()
    openings: Annotated[str, msgspec.Meta(max_length=20)] = ""
    """``suite``, ``random:N`` or ``none``; empty: the game's default."""
    seed: Seed = 0
    """All seeds and openings follow from it, the same for every submission."""
    bouts: Annotated[int, msgspec.Meta(ge=2, le=MAX_BOUTS_PER_RIVAL)] = 20
    """Bouts against each rival, in mirrored pairs."""
    rivals: Annotated[tuple[Rival, ...], msgspec.Meta(min_length=1, max_length=MAX_RIVALS)]
    rule: GradingRule = GradingRule()
    late: LateRule = LateRule()
    attempts_a_day: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 5
    """Submissions of one person a day; 0: any number."""
    counted: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 1
    """The best of so many of the latest submissions counts; 0: the best of all."""

    def rivals_of(self, part: str) -> tuple[Rival, ...]:
        """The public or the hidden rivals, by level."""
        ordered = sorted(self.rivals, key=lambda rival: rival.level)
        return tuple(rival for rival in ordered if rival.hidden == (part == HIDDEN))

    def check(self) -> None:
        """Refuse what could not be played or would be ambiguous; LudusError says why."""
        game = get_listed(self.game)
        if len(game.seats) != 2:
            raise LudusError("assignments are for games of two seats", "作业仅支持双人游戏")
        if self.bouts % 2:
            raise LudusError(
                f"bouts come in mirrored pairs: {self.bouts} is not even",
                f"对局按换边成对进行，局数须为偶数，得到 {self.bouts}",
            )
        self.contest_settings("check").check()
        self._refuse_doubles()
        for rival in self.rivals:
            if rival.from_percent > rival.full_percent:
                raise LudusError(
                    f"level {rival.level}: points begin at {rival.from_percent:g} %, which is above"
                    f" {rival.full_percent:g} %, where they are complete",
                    f"第 {rival.level} 级：起算线 {rival.from_percent:g}% 高于满分线"
                    f" {rival.full_percent:g}%",
                )
        places = [band.place for band in self.rule.ladder]
        gains = [band.points for band in self.rule.ladder]
        if places != sorted(set(places)) or gains != sorted(gains, reverse=True):
            raise LudusError(
                "ladder: better places come first and never give fewer points",
                "天梯名次分须按名次从前到后排列，名次靠前的分数不低于靠后的",
            )

    def _refuse_doubles(self) -> None:
        named = {
            "level": [str(rival.level) for rival in self.rivals],
            "bot": [rival.bot for rival in self.rivals],
            "manual": [part.title for part in self.rule.manual],
        }
        for what, values in named.items():
            double = next((each for each in values if values.count(each) > 1), None)
            if double is not None:
                raise LudusError(f"{what}: {double!r} occurs twice", f"{what}：{double!r} 重复")

    def contest_settings(
        self, name: str, challenger: str = "", jail: str | None = None
    ) -> ContestSettings:
        """The contest of one submission, the ``challenger``, against rivals.

        Thinking time is measured in CPU seconds, so that a busy machine costs no points.
        """
        return ContestSettings(
            name=name,
            game=self.game,
            seed=self.seed,
            options=self.options,
            clock=msgspec.structs.replace(self.clock, measure="cpu"),
            format=Gauntlet((challenger,) if challenger else (), equal_deals=True),
            match=MatchRules(bouts=self.bouts, seats="mirrored"),
            openings=self.openings,
            jail=jail,
        )

    @property
    def deal(self) -> str:
        """A digest of all that decides which bouts a code plays against a rival: bouts that were
        played under settings of the same deal need not be played again."""
        names = ("game", "options", "clock", "openings", "seed", "bouts")
        facts = {name: msgspec.to_builtins(getattr(self, name)) for name in names}
        return hashlib.sha256(msgspec.json.encode(facts, order="sorted")).hexdigest()[:32]
