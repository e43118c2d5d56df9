"""Measures strength: many bouts in lockstep, each opening from both sides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ludus.games.base import Game
from ludus.games.openings import Openings, play_opening, resolve_openings
from ludus.learn.opponents import EvaluationOpponent
from ludus.rating.copies import BoutKey, drop_copies
from ludus.rating.elo import ANCHOR_ELO, EloEstimate, combine_results, estimate_elo
from ludus.rating.scores import PairedScore, SeatedBout, WinDrawLoss

ANCHORS: dict[str, dict[str, float]] = {
    "tablut": {
        "random": 472.0,
        "depth:1": 1036.0,
        "depth:2": ANCHOR_ELO,
        "depth:3": 1647.0,
        "depth:4": 1838.0,
        "search:200": 1359.0,
        "search:800": 1566.0,
    },
}
"""Elo of fixed rivals under the game's usual rules, measured once by bench/anchors.py; alpha-beta
of depth 2 has 1500, as in the original's document."""
ANCHOR_OPENINGS = "random:4"
"""The openings with which those were measured; their Elo holds for these."""
EvaluationCallback = Callable[[int, int], None]
"""Called after each ply with the number of finished bouts and of all bouts."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A subject against one rival."""

    subject: str
    rival: str
    seats: tuple[WinDrawLoss, WinDrawLoss]
    """Results on each seat of the subject, without copies."""
    score: PairedScore
    """The same bouts as mirrored pairs: each opening was played from both sides."""
    plies: int
    """Plies of all bouts together."""
    copies: int = 0
    """Bouts that were copies of others, and count neither in ``seats`` nor in ``score``."""

    anchor: float | None = None
    """The rival's Elo, if that is known."""

    @property
    def result(self) -> WinDrawLoss:
        return self.seats[0].add(self.seats[1])

    @property
    def elo(self) -> EloEstimate:
        """The subject's Elo by these bouts; the difference, if the rival's is not known."""
        return estimate_elo(self.score).shift(self.anchor or 0.0)

    def as_row(self) -> dict[str, Any]:
        """The entry for the log of a training run."""
        return {
            "seats": [list(seat) for seat in self.seats],
            "pairs": list(self.score.pairs),
            "singles": list(self.score.singles),
            "copies": self.copies,
        }


def combine_measurements(measurements: Sequence[Measurement]) -> EloEstimate | None:
    """The subject's Elo by all bouts against rivals whose own is known."""
    known = [(each.anchor, each.score) for each in measurements if each.anchor is not None]
    return combine_results(known) if known else None


def choose_openings(spec: str, game: Game, options: Any) -> Openings:
    """The openings that a user wrote; by default those of the anchors, or the game's own."""
    known = game.name in ANCHORS and options == game.Options()
    return resolve_openings(spec or (ANCHOR_OPENINGS if known else ""), game, options)


def find_anchor(spec: str, game: Game, options: Any) -> float | None:
    """The Elo of a rival like ``depth:2``, where it was measured: under the usual rules."""
    if options != game.Options():
        return None
    return ANCHORS.get(game.name, {}).get(spec)


def measure(
    game: Game,
    options: Any,
    subject: EvaluationOpponent,
    rival: EvaluationOpponent,
    bouts: int,
    seed: int = 0,
    openings: Openings | None = None,
    watch: EvaluationCallback | None = None,
) -> Measurement:
    """Play so many bouts, every opening twice with swapped seats; copies do not count.

    ``openings`` are the game's usual ones if left out.
    """
    opened = _open_pairs(game, options, (bouts + 1) // 2, seed, openings)
    positions = [opened[bout // 2].copy() for bout in range(bouts)]
    seats = [bout % 2 for bout in range(bouts)]
    starts = [
        f"{position.digest()} {seat}" for position, seat in zip(positions, seats, strict=True)
    ]
    if game.is_seeded(options):
        starts = [f"{start} {bout // 2}" for bout, start in enumerate(starts)]
    moves: list[list[str]] = [[] for _ in range(bouts)]
    subject.start(bouts)
    rival.start(bouts)
    made = 0
    while alive := [bout for bout in range(bouts) if positions[bout].to_move]:
        mine = [bout for bout in alive if positions[bout].to_move[0] == seats[bout]]
        other = [bout for bout in alive if positions[bout].to_move[0] != seats[bout]]
        for player, turn in ((subject, mine), (rival, other)):
            _play(player, turn, positions, moves)
        made += len(alive)
        if watch:
            watch(bouts - len(alive), bouts)
    played = [
        (
            BoutKey(start, " ".join(moves[bout])),
            (bout // 2, seat, positions[bout].outcome.scores[seat]),
        )
        for bout, (start, seat) in enumerate(zip(starts, seats, strict=True))
    ]
    return summarize_bouts(subject.name, rival.name, played, made)


def _open_pairs(
    game: Game, options: Any, pairs: int, seed: int, openings: Openings | None
) -> list[Any]:
    """The position with which each pair of bouts begins."""
    openings = resolve_openings("", game, options) if openings is None else openings
    seeds = [openings.choose_seed(seed + pair, str(seed), pair) for pair in range(pairs)]
    return [play_opening(game, options, each, openings.draw(each)) for each in seeds]


def _play(
    player: EvaluationOpponent,
    turn: Sequence[int],
    positions: Sequence[Any],
    moves: Sequence[list[str]],
) -> None:
    if not turn:
        return
    chosen = player.choose_moves(turn, [positions[bout] for bout in turn])
    for bout, move in zip(turn, chosen, strict=True):
        positions[bout].play({positions[bout].to_move[0]: move})
        moves[bout].append(move)


def summarize_bouts(
    subject: str, rival: str, played: Sequence[tuple[BoutKey, SeatedBout]], plies: int
) -> Measurement:
    """The measurement that played bouts are, each with its key, by which copies are found, and its
    pair, the subject's seat and score."""
    bouts = drop_copies(played)
    by_seat = [
        WinDrawLoss.from_scores(score for _, at, score in bouts if at == seat) for seat in (0, 1)
    ]
    return Measurement(
        subject,
        rival,
        (by_seat[0], by_seat[1]),
        PairedScore.from_bouts(bouts),
        plies,
        copies=len(played) - len(bouts),
    )
