"""``ludus.play`` and ``ludus.load``: one bout and everything about it."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ludus.api.setups import (
    GamePosition,
    GameSetup,
    OptionValues,
    make_setup,
    refuse_wrong_clock,
    refuse_wrong_kind,
)
from ludus.bots.bot_like import (
    BotLike,
    ResolvedBot,
    create_players,
    keep_generators,
    refuse_wrong_jail,
    resolve_bots,
)
from ludus.bots.notes import SeatNotes, pack_notes, unpack_notes
from ludus.bots.resolve import BotSource
from ludus.errors import LudusError
from ludus.games.base import Clock, Game, Outcome
from ludus.games.openings import resolve_openings
from ludus.match.note_files import read_notes, save_notes
from ludus.match.record import Record, load_game, save
from ludus.match.replay import replay_steps, verify
from ludus.match.series import PlannedBout, SeriesBout, plan_bouts, play_bouts
from ludus.match.spec import MatchSpec, iterate_match
from ludus.match.verdict import SeatFault


@dataclass(frozen=True, repr=False)
class BoutResult:
    """A bout that was played or loaded. In a notebook it shows itself as a player."""

    record: Record
    """Everything that is needed to simulate the bout again."""
    outputs: tuple[dict[str, str], ...] = ()
    """The ``stdout`` and ``stderr`` of the bot on each seat; empty if the bout was loaded."""
    notes: tuple[SeatNotes, ...] = ()
    """What the bot on each seat said about its moves; empty if no notes were saved."""

    @cached_property
    def game(self) -> GameSetup:
        """The game with the options of this bout."""
        rules, options = load_game(self.record)
        return GameSetup(rules, rules.name, options)

    @property
    def bots(self) -> tuple[str, ...]:
        """The names of the bots, by seat."""
        return tuple(bot.name for bot in self.record.bots)

    @property
    def seed(self) -> int:
        """The seed of the bout: ``ludus.play(…, seed=…)`` with it starts alike."""
        return self.record.seed

    @property
    def moves(self) -> list[str]:
        """Every move: step by step, one for each seat that had to move."""
        return list(self.record.moves)

    @property
    def outcome(self) -> Outcome:
        """Scores by seat, and why the bout ended."""
        return self.record.outcome

    @property
    def scores(self) -> tuple[float, ...]:
        """The score of each seat; with two seats 1 wins, ½ draws, 0 loses."""
        return tuple(self.record.scores)

    @property
    def winner(self) -> int | None:
        """The winning seat; None without a single winner."""
        return self.record.winner

    @property
    def faults(self) -> list[SeatFault]:
        """Bots that crashed, ran out of time or answered with an illegal move, if any."""
        return list(self.record.faults)

    @property
    def reason(self) -> str:
        """Why the bout ended, as a sentence in the reader's language."""
        from ludus.lang import translate

        if self.record.faults:
            return translate(self.record.faults[0].why)
        return translate(self.game.rules.explain(self.outcome))

    def positions(self) -> Iterator[GamePosition]:
        """The position at the start and after each step; each of them is independent."""
        for _, position in replay_steps(self.record):
            yield GamePosition(self.game, position.copy())

    def position(self, step: int = -1) -> GamePosition:
        """The position after so many steps; negative numbers count from the end."""
        count = sum(1 for _ in replay_steps(self.record)) if step < 0 else 0
        last = -1
        for last, (_, position) in enumerate(replay_steps(self.record)):
            if last == step + count:
                return GamePosition(self.game, position)
        raise LudusError(
            f"the bout has positions 0 to {last}, got {step}",
            f"这局的局面编号为 0 到 {last}，得到 {step}",
        )

    def verify(self) -> None:
        """Simulate the bout again; LudusError if the result does not follow from the moves."""
        verify(self.record)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the record to a file, which ``ludus.load`` and ``ludus replay`` read. Notes of
        bots are written to a file of their own, beside it."""
        target = Path(path).expanduser()
        save(self.record, target)
        save_notes(self.record, target, [pack_notes(each) for each in self.notes])
        return target

    def to_html(self) -> str:
        """The bout as one HTML page that plays it, without a server."""
        from ludus.compat.notebook.pages import render_player_page

        return render_player_page(self.record)

    def __repr__(self) -> str:
        scores = " : ".join(f"{score:g}" for score in self.scores)
        return f"<{self.record.game}: {' – '.join(self.bots)}, {scores}, {self.reason}>"

    def _repr_html_(self) -> str:
        from ludus.compat.notebook.pages import render_record

        return render_record(self.record)


def play(
    game: str | GameSetup | Game,
    *bots: BotLike,
    options: OptionValues | None = None,
    seed: int | None = None,
    openings: str | Sequence[str] = "",
    clock: Clock | None = None,
    isolate: bool | None = None,
    jail: str | None = None,
    trust: bool = False,
) -> BoutResult:
    """Play one bout between bots, on the seats in the order given.

    A bot is the name of a house bot, the path of a file, a folder or a zip, or Python code that
    runs in this process: a function of the position (or of position and clock), an object with
    ``move(position, clock)``, or a class of such objects.

    ``seed`` is the seed of the bout, drawn if not given. ``openings`` are ``"suite"``,
    ``"random:N"``, ``"none"``, a text file or a list of openings; by default what ``ludus play``
    uses for the game. ``clock`` is the game's own if not given. Programs of strangers run in a
    jail; ``isolate``, ``jail`` and ``trust`` are those of ``ludus play``.

    A bot that fails loses, and the result says so in ``faults``; ``LudusError`` is raised only for
    mistakes of the call.
    """
    setup = make_setup(game, options)
    found = resolve_bots(bots, setup.rules, setup.options, trust=trust)
    given = resolve_openings(openings, setup.rules, setup.options)
    refuse_wrong_clock(clock)
    refuse_wrong_jail(jail)
    if seed is not None:
        refuse_wrong_kind("seed", seed, int, "7")
    bout_seed = draw_seed() if seed is None else seed
    plan = plan_bouts(len(bots), 1, 0, False, bout_seed=bout_seed, openings=given)
    with closing(play_planned(setup, found, plan, clock, isolate, jail)) as played:
        (bout,) = played
    return make_result(bout)


def load(path: str | os.PathLike[str]) -> BoutResult:
    """The bout in a record file, of Ludus or of one of the original platforms.

    The record is simulated: LudusError if the file cannot be read or its result is not true.
    """
    from ludus.compat.reading import read_verified

    source = Path(path).expanduser()
    record = read_verified(source)
    return BoutResult(record, notes=tuple(read_notes(record, source)))


def play_planned(
    setup: GameSetup,
    bots: Sequence[ResolvedBot],
    plan: Sequence[PlannedBout],
    clock: Clock | None,
    isolate: bool | None,
    jail: str | None,
) -> Generator[SeriesBout, None, None]:
    """Play bouts one after the other, in this process."""
    sources = [bot for bot in bots if isinstance(bot, BotSource)]
    with keep_generators():
        if len(sources) == len(bots):
            spec = make_spec(setup, sources, plan, clock, isolate, jail)
            yield from iterate_match(spec)
        else:
            players = create_players(bots, setup.rules, isolate, jail)
            yield from play_bouts(setup.rules, setup.options, players, plan, clock=clock)


def make_spec(
    setup: GameSetup,
    sources: Sequence[BotSource],
    plan: Sequence[PlannedBout],
    clock: Clock | None,
    isolate: bool | None,
    jail: str | None,
) -> MatchSpec:
    """The description of a match between programs, which any process can play."""
    return MatchSpec.for_game(
        setup.rules,
        setup.options.as_json(),
        sources,
        plan,
        clock=clock,
        isolate=isolate,
        jail=jail,
    )


def make_result(bout: SeriesBout) -> BoutResult:
    """A played bout with the outputs and notes of its bots by seat."""
    seats = range(len(bout.record.bots))
    return BoutResult(
        bout.record,
        tuple(bout.outputs[player] for player in bout.planned.order),
        tuple(unpack_notes(bout.seat_notes(seat)) for seat in seats),
    )


def draw_seed() -> int:
    """A random seed that is short enough to type."""
    import secrets

    return secrets.randbelow(10**6)
