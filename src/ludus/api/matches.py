"""``ludus.match``: bouts between two bots, and how much stronger one of them is."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field

from ludus.api.bouts import BoutResult, draw_seed, make_result, make_spec, play_planned
from ludus.api.setups import (
    GameSetup,
    OptionValues,
    make_setup,
    refuse_wrong_clock,
    refuse_wrong_kind,
)
from ludus.bots.bot_like import (
    BotLike,
    ResolvedBot,
    keep_generators,
    refuse_wrong_jail,
    resolve_bots,
)
from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.games.base import Clock, Game
from ludus.games.openings import resolve_openings
from ludus.match.bout_key import compute_bout_key
from ludus.match.record import Record
from ludus.match.series import PlannedBout, SeriesBout, plan_bouts
from ludus.rating.copies import drop_copies
from ludus.rating.elo import EloEstimate, estimate_elo, probability_better
from ludus.rating.scores import PairedScore, WinDrawLoss


@dataclass(frozen=True)
class MatchResult:
    """Bouts between two bots. In a notebook it shows itself as a table."""

    game: GameSetup
    bots: tuple[str, str]
    """The names of the first and the second bot."""
    seed: int
    """The seed from which those of the bouts are derived."""
    bouts: list[BoutResult] = field(repr=False)
    orders: list[tuple[int, ...]] = field(repr=False)
    """Which bot, 0 or 1, sat on each seat, bout by bout."""
    score: PairedScore
    """What the first bot scored, in mirrored pairs and without copies."""
    copies: int
    """Bouts that only repeat another one, and so do not count in ``score`` and ``elo``."""

    @property
    def records(self) -> list[Record]:
        """The record of every bout."""
        return [bout.record for bout in self.bouts]

    @property
    def elo(self) -> EloEstimate:
        """How much stronger the first bot is, in Elo, with an interval that holds with 95 %."""
        return estimate_elo(self.score)

    @property
    def better(self) -> float:
        """The chance that the first bot is the stronger one."""
        return probability_better(self.score)

    @property
    def results(self) -> WinDrawLoss:
        """Bouts that the first bot won, drew and lost; copies are counted."""
        return WinDrawLoss.from_scores(
            0.5 if bout.winner is None else float(order[bout.winner] == 0)
            for bout, order in zip(self.bouts, self.orders, strict=True)
        )

    def __str__(self) -> str:
        from ludus.api.match_table import format_summary

        return format_summary(self)

    def _repr_html_(self) -> str:
        from ludus.api.match_table import render_match

        return render_match(self)


def match(
    game: str | GameSetup | Game,
    a: BotLike,
    b: BotLike,
    *,
    bouts: int = 20,
    options: OptionValues | None = None,
    seed: int | None = None,
    openings: str | Sequence[str] = "",
    clock: Clock | None = None,
    isolate: bool | None = None,
    jail: str | None = None,
    trust: bool = False,
    jobs: int = 1,
) -> MatchResult:
    """Play a series of bouts, with the seats swapped on equal seeds, and rate the two bots.

    Bots and options are those of ``ludus.play``; ``seed`` is the seed of the whole match. With
    ``jobs`` above 1 that many bouts are played at once, each on a core of its own, with the same
    result; bots that are Python code of this process cannot be sent there.
    """
    setup = make_setup(game, options)
    if len(setup.seats) != 2:
        raise LudusError(
            f"a match is between two bots, and {setup.name} has {len(setup.seats)} seats;"
            " ludus.play plays one bout of it",
            f"比赛在两个 AI 之间进行，而 {setup.name} 有 {len(setup.seats)} 个座位；"
            "可用 ludus.play 打一局",
        )
    refuse_wrong_clock(clock)
    refuse_wrong_jail(jail)
    refuse_wrong_kind("bouts", bouts, int, "20")
    refuse_wrong_kind("jobs", jobs, int, "4")
    if seed is not None:
        refuse_wrong_kind("seed", seed, int, "7")
    if bouts < 1:
        raise LudusError(f"bouts must be at least 1, got {bouts}", f"局数至少为 1，得到 {bouts}")
    found = resolve_bots((a, b), setup.rules, setup.options, trust=trust)
    given = resolve_openings(openings, setup.rules, setup.options)
    match_seed = draw_seed() if seed is None else seed
    plan = plan_bouts(2, bouts, match_seed, openings=given)
    if jobs > 1:
        played = _play_on_cores(setup, found, plan, clock, isolate, jail, jobs)
    else:
        with closing(play_planned(setup, found, plan, clock, isolate, jail)) as one_by_one:
            played = list(one_by_one)
    return _summarize(setup, (found[0].name, found[1].name), match_seed, played)


def _play_on_cores(
    setup: GameSetup,
    bots: Sequence[ResolvedBot],
    plan: Sequence[PlannedBout],
    clock: Clock | None,
    isolate: bool | None,
    jail: str | None,
    jobs: int,
) -> list[SeriesBout]:
    from ludus.match.pool import play_parallel

    sources = [bot for bot in bots if isinstance(bot, BotSource)]
    if len(sources) < len(bots):
        raise LudusError(
            "bots that are Python objects play in this process; leave out jobs, or write them to a"
            " file and name it",
            "以 Python 对象给出的 AI 在本进程中运行；请去掉 jobs，或把它写成文件再给出路径",
        )
    spec = make_spec(setup, sources, plan, clock, isolate, jail)
    with keep_generators(), closing(play_parallel(spec, jobs)) as bouts:
        return sorted(bouts, key=lambda bout: bout.planned.number)


def _summarize(
    setup: GameSetup, names: tuple[str, str], seed: int, played: Sequence[SeriesBout]
) -> MatchResult:
    keyed = [
        (compute_bout_key(bout.record).for_entrants(bout.planned.order), bout) for bout in played
    ]
    counting = drop_copies(keyed)
    score = PairedScore.from_bouts(
        (
            bout.planned.seed,
            bout.planned.order.index(0),
            0.5 if bout.record.winner is None else bout.score(0),
        )
        for bout in counting
    )
    return MatchResult(
        game=setup,
        bots=names,
        seed=seed,
        bouts=[make_result(bout) for bout in played],
        orders=[bout.planned.order for bout in played],
        score=score,
        copies=len(played) - len(counting),
    )
