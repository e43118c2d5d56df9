"""A bout of a judged game as a position: what the judge has said so far, and whom it asks.

The rules are in the judge, a program. So a step holds what the seats answered and what the judge
then printed, and the position is a pure function of its steps: records, journals, films and
spectators need no judge. Whether the judge followed its own rules, only it can tell;
``ludus.compat.botzone.judge_rerun`` asks it again.

A move is one line: the seat's response as JSON, or the verdict (``TLE``) of a seat that failed to
give one. The first of a step's moves has a second line: the judge's next output. The first step is
what the judge prints before it asks anybody; it is written as a move of seat 0 without an answer.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from ludus.compat.botzone.judge_output import InvalidJudgeOutput, JudgeOutput, read_judge_output
from ludus.compat.botzone.messages import NotJson, read_value, write_line
from ludus.compat.botzone.verdicts import BotzoneVerdict
from ludus.compat.program_game import AnyText
from ludus.escape import truncate
from ludus.games.base import IllegalMove, Outcome

if TYPE_CHECKING:
    from ludus.compat.botzone.game import BotzoneGame

NO_ANSWER = "–"
"""The first line of the first step, in which no seat was asked."""
SHOWN_MESSAGE_CHARACTERS = 400
"""How many characters of a request or a response are shown in the log."""


@dataclass(frozen=True, slots=True)
class BotResponse:
    """What a seat answered, or why it did not."""

    verdict: BotzoneVerdict
    response: Any = None

    def as_line(self) -> str:
        """The line of a move."""
        return write_json(self.response) if self.verdict is BotzoneVerdict.OK else self.verdict

    def as_log_entry(self) -> dict[str, Any]:
        """What the judge is told. The times are always 0, so that a judge that is asked again
        reads the same."""
        return {
            "verdict": str(self.verdict),
            "response": self.response,
            "time": 0,
            "memory": 0,
        }


def read_response(line: str) -> BotResponse:
    """A seat's answer from the line of a move. Raises NotJson."""
    if line in BotzoneVerdict.__members__ and line != BotzoneVerdict.OK:
        return BotResponse(BotzoneVerdict(line))
    return BotResponse(BotzoneVerdict.OK, read_value(line.encode()))


def read_typed_response(text: str) -> BotResponse:
    """What a player answered in text: JSON, or else the text itself as a JSON string."""
    try:
        return BotResponse(BotzoneVerdict.OK, read_value(text.encode()))
    except (NotJson, UnicodeEncodeError):
        return BotResponse(BotzoneVerdict.OK, text.encode(errors="replace").decode())


def write_json(value: Any) -> str:
    """A JSON value in one line, without its end."""
    return write_line(value).decode().rstrip("\n")


def write_step(responses: Mapping[int, BotResponse], output: JudgeOutput) -> dict[int, str]:
    """A step as moves: what each seat answered, and what the judge then printed."""
    moves = {seat: response.as_line() for seat, response in responses.items()} or {0: NO_ANSWER}
    first = min(moves)
    moves[first] = f"{moves[first]}\n{write_json(output.value)}"
    return moves


def read_step(moves: Mapping[int, str], seats: int) -> tuple[dict[int, BotResponse], JudgeOutput]:
    """The answers and the judge's output of a step. Raises NotJson or InvalidJudgeOutput."""
    lines = {seat: move.partition("\n") for seat, move in moves.items()}
    _, _, printed = lines[min(lines)]
    output = read_judge_output(printed.encode(), seats)
    answers = {seat: line for seat, (line, _, _) in lines.items() if line != NO_ANSWER}
    return {seat: read_response(line) for seat, line in answers.items()}, output


class BotzonePosition:
    """A moment of a bout of a judged game."""

    def __init__(self, game: BotzoneGame) -> None:
        self.game = game
        self.outcome: Outcome | None = None
        self._seats = len(game.seats)
        self._output: JudgeOutput | None = None
        """The judge's last output; None before its first."""
        self._log: tuple[tuple[int, bool, str], ...] = ()
        """The messages of the last step: the seat, whether the judge sent it, the text."""
        self._chain = hashlib.sha256(f"{game.name}/{game.version}".encode()).hexdigest()

    @property
    def to_move(self) -> tuple[int, ...]:
        if self.outcome is not None:
            return ()
        return tuple(self._output.requests) if self._output else (0,)

    def request(self, seat: int) -> Any:
        """What the judge asks the seat now, as it wrote it; None if it does not."""
        return self._output.requests.get(seat) if self._output else None

    def legal(self, seat: int) -> list[str]:
        """Any text: only the judge knows what may be answered."""
        return AnyText() if seat in self.to_move else []

    def play(self, moves: Mapping[int, str]) -> None:
        movers = self.to_move
        if set(moves) != set(movers):
            raise _illegal(min(moves, default=0), "", f"expected moves of seats {list(movers)}")
        first = min(movers)
        if "\n" not in moves[first]:
            raise _illegal(first, moves[first], "only the game's judge can say what follows")
        try:
            responses, output = read_step(moves, self._seats)
        except (NotJson, InvalidJudgeOutput, UnicodeEncodeError) as error:
            raise _illegal(first, moves[first], f"not a step of a judged game: {error}") from None
        if set(responses) != (set(movers) if self._output else set()):
            raise _illegal(first, moves[first], "an answer for each seat that was asked")
        self._log = self._make_log(responses, output)
        self._output = output
        self._chain = self._extend_chain(moves)
        if output.scores is not None:
            self.outcome = make_outcome(output.scores)

    def _extend_chain(self, moves: Mapping[int, str]) -> str:
        chain = hashlib.sha256(self._chain.encode())
        for seat in sorted(moves):
            chain.update(f"\0{seat}\0{moves[seat]}".encode())
        return chain.hexdigest()

    def _make_log(
        self, responses: Mapping[int, BotResponse], output: JudgeOutput
    ) -> tuple[tuple[int, bool, str], ...]:
        answers = ((seat, False, _shorten(said.as_line())) for seat, said in responses.items())
        asked = ((seat, True, _shorten(write_json(what))) for seat, what in output.requests.items())
        return (*answers, *asked)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """No board, but what the judge displays, and the messages of the last step as ``log``:
        ``[seat, whether the judge sent it, text]``.

        In a game with hidden information a seat sees its own messages only; what the judge
        displays is for spectators, and for all once the bout is over.
        """
        secret = self.game.hidden and self.outcome is None
        view: dict[str, Any] = {
            "layers": {"table": [""]},
            "phase": self._phase(seat),
            "to_move": list(self.to_move),
            "counters": {},
            "gestures": {},
            "log": [list(entry) for entry in self._log if not secret or entry[0] == seat],
        }
        display = self._output.display if self._output else None
        if display not in (None, "") and not (secret and seat is not None):
            view["display"] = display
        return view

    def _phase(self, seat: int | None) -> dict[str, str]:
        if self.outcome is not None:
            return {"en": "the bout is over", "zh": "对局结束"}
        if self._output is None:
            return {"en": "the bout begins", "zh": "对局开始"}
        if seat in self._output.requests:
            shown = _shorten(write_json(self._output.requests[seat]))
            return {"en": f"the judge asks: {shown}", "zh": f"裁判提问：{shown}"}
        names = [self.game.seats[mover] for mover in self.to_move]
        return {
            "en": f"the judge asks {', '.join(name['en'] for name in names)}",
            "zh": f"裁判提问：{'、'.join(name['zh'] for name in names)}",
        }

    def copy(self) -> Self:
        return copy.copy(self)

    def digest(self) -> str:
        return self._chain[:16]


def make_outcome(scores: Sequence[float]) -> Outcome:
    """The judge's scores; with two seats, 1, ½ or 0 for who has the higher one."""
    detail = {"points": " : ".join(f"{score:g}" for score in scores)}
    if len(scores) == 2:
        mine, other = scores
        half = 0.5 if mine == other else float(mine > other)
        scores = (half, 1 - half)
    return Outcome(tuple(scores), "finished", detail)


def _shorten(text: str) -> str:
    return truncate(text, SHOWN_MESSAGE_CHARACTERS)


def _illegal(seat: int, move: str, why: str) -> IllegalMove:
    return IllegalMove(seat, move[:200], why, f"不是裁判程序游戏的一步：{why}")
