"""Tablut against data of an independent implementation: positions, move counts, symmetries."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from ludus.games.tablut import random_bouts
from ludus.games.tablut.actions import cell_symmetries, get_actions, original_number
from ludus.games.tablut.rules import perft, set_up
from ludus.games.tablut.variants import TablutOptions, resolve_settings

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "tablut"
OPTIONS = TablutOptions()
COMPILED = not str(random_bouts.__file__).endswith(".py")
REASONS = {
    "king_captured": {"king_captured"},
    "king_edge": {"king_border"},
    "no_moves": {"no_moves_attackers", "no_moves_defenders"},
    "turn_limit": {"limit"},
}
with gzip.open(GOLDEN / "positions.jsonl.gz", "rt") as file:
    POSITIONS = [json.loads(line) for line in file]
if not COMPILED:  # of each ending some, and all moves that leave somebody without one
    ended = [line for line in POSITIONS if line["end"] is not None]
    rare = [line for line in POSITIONS if any(after[3] == "no_moves" for after in line["after"])]
    POSITIONS = [*POSITIONS[::8], *ended[::8], *rare]
PERFTS = json.loads((GOLDEN / "perft.json").read_text())


def set_up_line(line: dict[str, Any]) -> Any:
    return set_up(OPTIONS, line["board"], "wb".index(line["side"]), line["ply"])


def check_end(outcome: Any, reason: str | None, winner: str | None, where: Any) -> None:
    if reason is None:
        assert outcome is None, where
        return
    assert outcome is not None and outcome.reason in REASONS[reason], where
    expected = None if winner is None else ("white", "black").index(winner)
    assert outcome.winner == expected, where


def test_legal_moves_and_endings_are_those_of_the_golden_positions() -> None:
    for line in POSITIONS:
        position = set_up_line(line)
        check_end(position.outcome, *(line["end"] or (None, None)), line["id"])
        if line["end"] is None:
            moves = [81 * source + target for source, target in position.board.moves()]
            assert moves == line["moves"], line["id"]
            assert len(position.legal(position.to_move[0])) == len(moves)


def test_moves_lead_to_the_golden_boards_captures_and_endings() -> None:
    for line in POSITIONS:
        before = set_up_line(line)
        for move, board, captured, reason, winner in line["after"]:
            position = before.copy()
            position.move(*divmod(move, 81))
            where = line["id"], move
            assert position.cells == board, where
            assert sorted(position.captured) == captured, where
            check_end(position.outcome, reason, winner, where)


def test_taking_a_move_back_restores_the_golden_board() -> None:
    for line in POSITIONS:
        board = set_up_line(line).board
        key = board.hash
        for move, *_ in line["after"]:
            taken = board.play(*divmod(move, 81))
            board.undo(*divmod(move, 81), taken)
            assert (board.cells(), board.hash) == (line["board"], key), (line["id"], move)


@pytest.mark.parametrize("line", PERFTS, ids=lambda line: line["name"])
def test_perft_counts_are_the_golden_ones(line: dict[str, Any]) -> None:
    position = set_up(OPTIONS, line["board"], "wb".index(line["side"]))
    depths = range(1, 5 if COMPILED else 3)
    counts = [perft(position, depth) for depth in depths]
    assert counts == line["perft"][: len(counts)]
    assert position.cells == line["board"]


def test_symmetries_are_the_golden_permutations() -> None:
    for line in json.loads((GOLDEN / "symmetries.json").read_text()):
        index = 2 * line["quarter_turns"] + line["flip"]
        assert index == line["index"]
        assert cell_symmetries(9)[index].tolist() == line["perm"]


def test_every_golden_move_has_a_number_and_every_number_is_such_a_pair() -> None:
    table = get_actions(resolve_settings(OPTIONS))
    for line in POSITIONS:
        numbers = [table.number(*divmod(move, 81)) for move in line["moves"]]
        assert min(numbers, default=0) >= 0
        assert numbers == sorted(numbers)
        assert table.legal(set_up_line(line)).tolist() == numbers
    assert original_number(*divmod(POSITIONS[0]["moves"][0], 81), 9) == 3 + 81 * 0
