"""``ludus sprt``: tests whether a new version of a bot is better than the old one."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.cli import output
from ludus.cli.cluster import cluster_options
from ludus.cli.command import argument, command, option
from ludus.cli.interrupts import hint_on_interrupt, same_command_hint
from ludus.cli.options import (
    JSON_OPTION,
    OPENINGS_OPTION,
    SEED_OPTION,
    SETTINGS_OPTION,
    TRUST_OPTION,
)
from ludus.cli.param_types import BotParam, GameParam, IntegerParam, JobsParam, SecondsParam
from ludus.errors import LudusError
from ludus.home import ludus_home, make_folder
from ludus.lang import tr, translate
from ludus.rating.copies import CopyFilter, describe_copies
from ludus.rating.elo import (
    estimate_elo,
    format_probability,
    format_signed,
    probability_better,
)
from ludus.rating.scores import PairedScore, pair_kind

if TYPE_CHECKING:
    from ludus.contest.bout_facts import BoutFacts
    from ludus.contest.settings import ContestSettings
    from ludus.rating.sprt import Sprt, SprtDecision
    from ludus.scheduling.cluster_key import Cluster
    from ludus.scheduling.contest_store import ContestStore, EntrantProgram
    from ludus.scheduling.scheduler import ContestProgress

NEW, OLD = "new", "old"
UNLIMITED_BOUTS = 1_000_000
"""The length of the match; more bouts than are ever played."""
MAX_COPIES_IN_A_ROW = 40
"""After so many copies without a bout that counts, more bouts will not decide the test."""
PROGRESS_PAUSE_S = 30.0
"""Between two lines of progress, where no terminal shows it all the time."""


@command(
    en="Is the new version better? Plays mirrored pairs of bouts until that is clear, and no"
    " longer. Run it again to continue after a stop.",
    zh="新版本更强吗？进行成对的镜像对局，一有定论即停止。中断后再次运行即可继续。",
)
@argument("new", type=BotParam(), metavar="NEW", en="The new version.", zh="新版本。")
@argument("old", type=BotParam(), metavar="OLD", en="The old version.", zh="旧版本。")
@option("--game", type=GameParam(), required=True, en="The game.", zh="游戏。")
@option(
    "--elo0",
    type=float,
    default=0.0,
    metavar="ELO",
    en="“Not better” means: this much stronger or less (0).",
    zh="“没有更强”指强出不超过此值（0）。",
)
@option(
    "--elo1",
    type=float,
    default=10.0,
    metavar="ELO",
    en="“Better” means: at least this much stronger (10).",
    zh="“更强”指强出至少此值（10）。",
)
@option(
    "--alpha",
    type=float,
    default=0.05,
    metavar="P",
    en="Chance of a wrong “better” (0.05).",
    zh="误判“更强”的概率（0.05）。",
)
@option(
    "--beta",
    type=float,
    default=0.05,
    metavar="P",
    en="Chance of a wrong “not better” (0.05).",
    zh="误判“没有更强”的概率（0.05）。",
)
@option(
    "--bouts",
    type=IntegerParam(2),
    default=40000,
    en="The most bouts (40000).",
    zh="局数上限（40000）。",
)
@SETTINGS_OPTION
@SEED_OPTION
@OPENINGS_OPTION
@option(
    "--time", "budget", type=SecondsParam(), en="Thinking time for a bout.", zh="每局思考时间。"
)
@option(
    "--jobs", type=JobsParam(), default="auto", en="Bouts at once (auto).", zh="同时局数（auto）。"
)
@cluster_options(
    en="Play on a Dask cluster (ludus worker).", zh="在 Dask 集群（ludus worker）上进行。"
)
@TRUST_OPTION
@option("--fresh", is_flag=True, en="Discard the bouts of earlier runs.", zh="不沿用以前的对局。")
@JSON_OPTION
def COMMAND(
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    jobs: int,
    cluster: Cluster | None,
    fresh: bool,
    as_json: bool,
    **given: Any,
) -> int:
    from ludus.rating.sprt import Sprt

    test = Sprt(elo0, elo1, alpha, beta)
    view = run_test(test, jobs=jobs, cluster=cluster, fresh=fresh, quiet=as_json, **given)
    view.print_result(as_json)
    return 0 if view.decision == "better" else 1


def run_test(
    test: Sprt, *, jobs: int, cluster: Cluster | None, fresh: bool, quiet: bool, **given: Any
) -> SprtProgressView:
    """Play until the test is decided, or its bouts are over; continues an earlier run.

    ``given`` are the other options of the command, by their names.
    """
    from ludus.scheduling.cluster import create_pool
    from ludus.scheduling.contest_loading import create_source_loader
    from ludus.scheduling.scheduler import Scheduler

    store = _open_store(fresh=fresh, **given)
    view = SprtProgressView(test, given["bouts"], quiet=quiet)
    with contextlib.closing(store), view.show_live():
        view.add_bouts(store.load_bouts())
        scheduler = Scheduler(
            store,
            create_source_loader(store, trust=given["trust"]),
            create_pool(jobs, cluster),
            view.update,
            stop=view.is_decided,
        )
        if not view.is_decided():
            with hint_on_interrupt(same_command_hint):
                scheduler.run()
    return view


def _open_store(*, fresh: bool, **given: Any) -> ContestStore:
    """The database of this comparison; the same programs, game and settings continue it."""
    from ludus.contest.settings import BotEntry
    from ludus.games.registry import open_game
    from ludus.scheduling.contest_loading import map_bot_path, resolve_entrants
    from ludus.scheduling.contest_store import ContestStore

    game = open_game(given["game"])
    entries = [
        BotEntry(map_bot_path(bot, game, Path.absolute)) for bot in (given["new"], given["old"])
    ]
    entries = [BotEntry(e.bot, name) for e, name in zip(entries, (NEW, OLD), strict=True)]
    programs = resolve_entrants(entries, game, Path.cwd())
    if programs[0].digest == programs[1].digest and programs[0].bot == programs[1].bot:
        raise LudusError("the new and the old version are the same program", "新旧版本是同一个程序")
    settings = _make_settings(game, given)
    path = ludus_home() / "sprt" / f"{_comparison_key(settings, programs)}.db"
    if fresh:
        for each in path.parent.glob(f"{path.name}*"):
            each.unlink()
    if (existing := ContestStore.open(str(path))) is not None:
        return existing
    make_folder(path.parent)
    store = ContestStore.create(str(path), settings, str(Path.cwd()))
    store.add_entrants(programs)
    return store


def _make_settings(game: Any, given: dict[str, Any]) -> ContestSettings:
    from ludus.cli.options import parse_options
    from ludus.contest.settings import parse_contest_settings

    facts: dict[str, Any] = {
        "name": "sprt",
        "game": game.name,
        "seed": given["seed"] or 0,
        "options": parse_options(game, given["settings"]).as_json(),
        "match": {"bouts": UNLIMITED_BOUTS},
        "openings": _read_openings(given["openings"]),
    }
    if given["budget"] is not None:
        facts["clock"] = {"budget": given["budget"]}
    settings = parse_contest_settings(facts, "sprt").with_default_openings()
    settings.check()
    return settings


def _read_openings(spec: str) -> str | list[str]:
    """The openings for a contest's settings: those of a file as a list."""
    from ludus.games.openings import is_suite_file, read_suite_lines

    return read_suite_lines(Path(spec).expanduser()) if is_suite_file(spec) else spec


def _comparison_key(settings: ContestSettings, programs: list[EntrantProgram]) -> str:
    text = json.dumps(
        [settings.frozen_fields(), [(each.bot, each.digest) for each in programs]], sort_keys=True
    )
    return hashlib.sha256(text.encode()).hexdigest()[:24]


class SprtProgressView:
    """Counts pairs of bouts, shows the state of the test and decides it.

    Copies of bouts are not evidence and are not counted. If every further bout is a copy, the test
    can never be decided, so it ends undecided.
    """

    def __init__(self, test: Sprt, most: int, *, quiet: bool) -> None:
        self.test, self.most, self.quiet = test, most, quiet
        self.pairs = [0.0] * 5
        self._unpaired_scores: dict[int, float] = {}
        self._copies: CopyFilter[BoutFacts] = CopyFilter()
        self._began = self._told = time.monotonic()
        self._bouts_played = 0

    def add_bouts(self, bouts: list[tuple[Any, BoutFacts]]) -> None:
        """Add bouts as (pairing, facts); two bouts of a seed make a pair."""
        for _, facts in bouts:
            for counting in self._copies.add(facts.key, facts):
                self._count_bout(counting)

    def _count_bout(self, facts: BoutFacts) -> None:
        pair = facts.number // 2
        score = facts.scores[facts.names.index(NEW)]
        if pair in self._unpaired_scores:
            self.pairs[pair_kind(self._unpaired_scores.pop(pair), score)] += 1
        else:
            self._unpaired_scores[pair] = score

    @property
    def score(self) -> PairedScore:
        return PairedScore.from_pairs(self.pairs)

    def update(self, progress: ContestProgress) -> None:
        self.add_bouts([(each.pairing, each.facts) for each in progress.new_bouts])
        self._bouts_played += len(progress.new_bouts)
        if not (self.quiet or sys.stderr.isatty()):
            self._tell_sometimes()

    def _tell_sometimes(self) -> None:
        """A slow bot's test takes long: in a file or a pipe, too, it is seen to go on."""
        now = time.monotonic()
        if now - self._told >= PROGRESS_PAUSE_S:
            self._told = now
            print("; ".join(self.format_lines()), file=sys.stderr, flush=True)

    @property
    def decision(self) -> SprtDecision:
        return self.test.decide(self.pairs)

    def is_decided(self) -> bool:
        """Whether no more bouts are to be played."""
        copies = self._copies.copies
        enough = 2 * sum(self.pairs) + copies >= self.most
        return self.decision != "open" or enough or self.is_repeating

    @property
    def is_repeating(self) -> bool:
        return self._copies.copies_in_a_row >= MAX_COPIES_IN_A_ROW

    @contextlib.contextmanager
    def show_live(self) -> Iterator[None]:
        if self.quiet or not sys.stderr.isatty():
            yield
            return
        from rich.live import Live
        from rich.text import Text

        draw = lambda: Text("\n".join(self.format_lines()))  # noqa: E731
        with Live(
            get_renderable=draw,
            console=output.stderr_console(),
            transient=True,
            refresh_per_second=4,
        ):
            yield

    def format_lines(self) -> Iterator[str]:
        pairs, test = sum(self.pairs), self.test
        llr = test.llr(self.pairs) if pairs else 0.0
        bounds = f"[{test.lower:.2f}, {test.upper:.2f}]"
        yield f"LLR {format_signed(llr, 2)}  {bounds}   H0 {test.elo0:g}, H1 {test.elo1:g} Elo"
        kinds = " ".join(f"{count:.0f}" for count in self.pairs)
        rate = self._bouts_played / max(time.monotonic() - self._began, 1e-9)
        yield tr(
            f"{pairs:.0f} pairs (0, ½, 1, 1½, 2 points: {kinds}), {rate:.1f} bouts/s",
            f"{pairs:.0f} 对（得 0、½、1、1½、2 分：{kinds}），{rate:.1f} 局/秒",
        )
        if pairs:
            elo = f"Elo {estimate_elo(self.score).format()}"
            better = format_probability(probability_better(self.score))
            yield tr(f"{elo}, chance that it is better: {better}", f"{elo}，更强的可能性：{better}")
        seen = self._copies
        if seen.copies:
            yield translate(describe_copies(seen.copies, seen.bouts))

    def print_result(self, as_json: bool) -> None:
        if as_json:
            output.print_json(self.result_json())
            return
        for line in self.format_lines():
            print(line)
        print(self._format_answer(self.decision))

    def _format_answer(self, answer: SprtDecision) -> str:
        if answer == "better":
            return tr("The new version is better.", "新版本更强。")
        if answer == "not better":
            return tr("The new version is not better.", "新版本没有更强。")
        if self.is_repeating:
            return tr(
                "Not decided: the bots only repeat earlier bouts, and copies prove nothing.",
                "没有定论：双方只是在重复以前的对局，而重复的对局说明不了强弱。",
            )
        return tr(
            "Not decided yet: raise --bouts and run again.", "尚无定论：增大 --bouts 再运行。"
        )

    def result_json(self) -> dict[str, Any]:
        test = self.test
        elo = estimate_elo(self.score) if sum(self.pairs) else None
        return {
            "answer": self.decision,
            "llr": test.llr(self.pairs) if sum(self.pairs) else 0.0,
            "bounds": [test.lower, test.upper],
            "pairs": [int(count) for count in self.pairs],
            "bouts": self._copies.bouts,
            "copies": self._copies.copies,
            "elo": elo.elo if elo else None,
            "interval": [elo.low, elo.high] if elo else None,
            "better": probability_better(self.score) if elo else None,
        }
