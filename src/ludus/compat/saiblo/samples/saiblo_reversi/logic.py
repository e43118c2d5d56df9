"""Reversi as a Saiblo logic: what the judger and the players are told, and in which order.

A player that crashes, is late or makes an illegal move loses at once.
"""

from __future__ import annotations

from rules import Board

from ludus.compat.saiblo.sdk.bout import Bout
from ludus.compat.saiblo.sdk.logic import ILLEGAL, Table, run

SECONDS = 5.0
"""For each move of a program."""


def play(table: Table) -> list[float]:
    board, moves = Board(), list[str]()
    bout = Bout(table, "reversi", ["black", "white"], seconds=SECONDS)
    loser: int | None = None
    bout.watch(board.view())
    while board.mover is not None and loser is None:
        seat = board.mover
        answer = bout.turn(seat, board.legal(), board.view())
        move = answer.text.strip()
        if not answer.trouble and move in board.legal():
            board.put(move)
            moves.append(move)
            bout.played(seat, move)
            bout.watch(board.view())
        else:
            table.blame(seat, answer.trouble or ILLEGAL)
            loser = seat
    scores, reason, detail = result(board, loser)
    bout.end(scores, reason, detail, [board.view()] * 2)
    table.save({"game": "reversi", "moves": moves, "scores": scores, "reason": reason, **detail})
    return scores


def result(board: Board, loser: int | None) -> tuple[list[float], str, dict[str, int]]:
    """The scores, the reason, and the facts that it names."""
    if loser is not None:
        return [float(seat != loser) for seat in range(2)], "fault", {"loser": loser}
    black, white = board.count(0), board.count(1)
    if black == white:
        return [0.5, 0.5], "tied", {"discs": black}
    return [float(black > white), float(white > black)], "discs", {"black": black, "white": white}


if __name__ == "__main__":
    run(play)
