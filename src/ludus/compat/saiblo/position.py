"""A bout of a Saiblo game as a position: the messages so far, and which seats are listened to.

The rules are in the logic, a program. So a step holds all messages in it, in order, and the
position is a pure function of its steps: records, journals, films and spectators need no logic.
What cannot be known without the logic is which answers it would accept, and whether it followed its
own rules; ``ludus.compat.saiblo.verify.rerun`` asks it again.

A step ends when the logic next listens to a seat, or ends the bout. All seats that were listened to
move in it. A move has two lines: what the seat answered, for people to read; and, in the first of
the moves, the events of the step as JSON: ``["J", body]`` is a message to the logic,
``["L", target, text]`` one from it (``["B", target, base64]`` if it is not UTF-8). The first step
is what the logic sends before it asks anybody; it is written as a move of seat 0.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import msgspec

from ludus.compat.program_game import AnyText
from ludus.compat.saiblo import messages
from ludus.compat.saiblo.frames import TO_JUDGER
from ludus.compat.saiblo.logic_error import LogicError
from ludus.compat.saiblo.messages import EndMessage, Message, RoundMessage, SpectatorMessage
from ludus.games.base import IllegalMove, Outcome

if TYPE_CHECKING:
    from ludus.compat.saiblo.game import SaibloGame

Event = list[Any]
"""``["J", body]``, ``["L", target, text]`` or ``["B", target, base64]``."""

SHOWN_LOG_MESSAGES = 40
"""How many messages of the log are shown."""
SHOWN_MESSAGE_CHARACTERS = 400
"""How many characters of a message are shown."""
TIMEOUT_CODE = 1
ERROR_LABELS = {0: "(run error)", TIMEOUT_CODE: "(timeout)", 2: "(too long)"}
NO_ANSWER = "–"

_decode_events = msgspec.json.Decoder(list[list[Any]]).decode


def make_event(target: int, body: bytes) -> Event:
    """A logic's message as an event."""
    try:
        return ["L", target, body.decode()]
    except UnicodeDecodeError:
        return ["B", target, base64.b64encode(body).decode()]


def event_body(event: Event) -> bytes:
    """The bytes of a logic's message."""
    text: str = event[2]
    return base64.b64decode(text) if event[0] == "B" else text.encode()


def write_step(movers: Sequence[int], events: Sequence[Event]) -> dict[int, str]:
    """A step as moves: what each seat answered, and all events with the first of them."""
    moves = {seat: _format_answers(seat, events) for seat in movers}
    first = movers[0]
    moves[first] = f"{moves[first]}\n{json.dumps(events, separators=(',', ':'))}"
    return moves


def parse_step(move: str) -> list[Event]:
    """The events of a step, from the first of its moves."""
    return _decode_events(move.partition("\n")[2])


def _format_answers(seat: int, events: Sequence[Event]) -> str:
    answers = [text for player, text in _answers(events) if player == seat]
    return " · ".join(answers).replace("\n", "⏎")[:SHOWN_MESSAGE_CHARACTERS] or NO_ANSWER


def _answers(events: Sequence[Event]) -> Iterator[tuple[int, str]]:
    """The seat and text of each answer to the logic; errors count as answers."""
    for event in events:
        if event[0] != "J":
            continue
        message = json.loads(event[1])
        player, content = message.get("player"), message.get("content")
        if player == -1:
            error = json.loads(content)
            yield error["player"], ERROR_LABELS.get(error["error"], "?")
        elif isinstance(player, int):
            yield player, str(content)


def late_seats(events: Sequence[Event]) -> list[int]:
    """The seats whose time ran out in a step."""
    sent = [json.loads(event[1]) for event in events if event[0] == "J"]
    errors = [json.loads(message["content"]) for message in sent if message.get("player") == -1]
    return [error["player"] for error in errors if error["error"] == TIMEOUT_CODE]


class SaibloPosition:
    """A moment of a bout of a Saiblo game."""

    def __init__(self, game: SaibloGame) -> None:
        self.game = game
        self.outcome: Outcome | None = None
        self._seats = len(game.seats)
        self._started = False
        self._listened_seats: tuple[int, ...] = ()
        self._last_texts: dict[int | None, str] = {}
        """The last text that the logic sent to each seat, and to the spectators (None)."""
        self._boards: dict[int | None, dict[str, Any]] = {}
        """The last board that it sent to each of them."""
        self._last_board: dict[str, Any] = {}
        """The last board that it sent to any of them."""
        self._log: tuple[tuple[int, bool, str], ...] = ()
        """The messages of the last step: the seat, whether the logic sent it, the text."""
        self._chain = hashlib.sha256(f"{game.name}/{game.version}".encode()).hexdigest()

    @property
    def to_move(self) -> tuple[int, ...]:
        if self.outcome is not None:
            return ()
        return self._listened_seats if self._started else (0,)

    def legal(self, seat: int) -> list[str]:
        """The moves that the logic listed for the seat; any text if it listed none."""
        if seat not in self.to_move:
            return []
        offered = _parse_object(self._last_texts.get(seat, "")).get("legal")
        if isinstance(offered, list) and all(isinstance(move, str) for move in offered):
            return list(offered)
        return AnyText()

    def play(self, moves: Mapping[int, str]) -> None:
        movers = self.to_move
        if set(moves) != set(movers):
            raise _illegal(min(moves, default=0), "", f"expected moves of seats {list(movers)}")
        first = movers[0]
        _, line, text = moves[first].partition("\n")
        if not line:
            raise self._refuse_answer(first, moves[first])
        after = copy.copy(self)
        try:
            events = _decode_events(text)
            after._apply_events(events)
            expected = write_step(movers, events)
        except (msgspec.DecodeError, LogicError, ValueError, TypeError, LookupError) as error:
            raise _illegal(first, moves[first], f"no step of a Saiblo game: {error}") from None
        if any(
            expected[seat].partition("\n")[0] != moves[seat].partition("\n")[0] for seat in movers
        ):
            raise _illegal(first, moves[first], "its first line is not what the seats answered")
        after._chain = hashlib.sha256(f"{self._chain}{text}".encode()).hexdigest()
        self.__dict__.update(after.__dict__)

    def _refuse_answer(self, seat: int, move: str) -> IllegalMove:
        """What an answer leads to is up to the logic; only what it listed is known."""
        offered = self.legal(seat)
        if move in offered:
            return _illegal(seat, move, "only the game's logic can say what follows")
        en, zh = "this is not possible now", "现在不能这样走"
        if offered:
            en, zh = f"{en}; for example {offered[0]} is", f"{zh}；可以走例如 {offered[0]}"
        return IllegalMove(seat, move[:200], en, zh)

    def _apply_events(self, events: Sequence[Event]) -> None:
        """Apply all messages of a step. Raises ValueError unless exactly the last one ends it."""
        self._log = ()
        for number, event in enumerate(events, 1):
            for seat, text in _answers([event]):
                self._add_to_log(seat, False, text)
            step_ends = event[0] != "J" and self._apply_logic_message(event)
            if step_ends != (number == len(events)):
                raise ValueError("a step ends when the logic listens to a seat, or ends the bout")
        self._started = True

    def _apply_logic_message(self, event: Event) -> bool:
        """Apply a message of the logic; whether the step ends with it."""
        target, body = event[1], event_body(event)
        if target != TO_JUDGER:
            if 0 <= target < self._seats:
                self._record_message(target, body.decode(errors="replace"))
            return False
        message = decode_message(self.game, body)
        if isinstance(message, SpectatorMessage):
            self._record_text(None, message.text)
        elif isinstance(message, RoundMessage):
            for seat, text in zip(message.player, message.content, strict=False):
                self._record_message(seat, text)
            self._listened_seats = listened_seats(message, self._seats)
        elif isinstance(message, EndMessage):
            self.outcome = make_outcome(message, self._seats)
        return ends_step(message, self._seats)

    def _record_message(self, seat: int, text: str) -> None:
        self._record_text(seat, text)
        self._add_to_log(seat, True, text)

    def _record_text(self, receiver: int | None, text: str) -> None:
        self._last_texts = {**self._last_texts, receiver: text}
        board = _find_board(text)
        if board is not None and self.game.accepts_board(board):
            self._boards = {**self._boards, receiver: board}
            self._last_board = board

    def _add_to_log(self, seat: int, from_logic: bool, text: str) -> None:
        self._log = (*self._log, (seat, from_logic, text[:SHOWN_MESSAGE_CHARACTERS]))[
            -SHOWN_LOG_MESSAGES:
        ]

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """The board that the logic sent in the board language, or its texts alone.

        ``log`` holds the messages of the last step, as ``[seat, whether the logic sent it, text]``.
        """
        board = self._boards.get(seat, {} if self.game.hidden else self._last_board)
        phase = board.get("phase")
        view = {
            **self.game.empty_board,
            **board,
            "to_move": list(self.to_move),
            "log": self._visible_log(seat),
        }
        if not _is_bilingual(phase) or self.outcome is not None:
            view["phase"] = self._phase(self._last_texts.get(seat, ""))
        view["gestures"] = self._gestures(board.get("gestures"), seat)
        view["told"] = self._told(board.get("told"))
        return view

    def _told(self, told: Any) -> dict[str, Any] | None:
        """What the logic tells everyone of the last step in words, if it is that."""
        if not isinstance(told, dict) or told.get("seat") not in range(self._seats):
            return None
        text: Any = told.get("text")
        if not _is_bilingual(text):
            return None
        shown = {lang: text[lang][:SHOWN_MESSAGE_CHARACTERS] for lang in ("en", "zh")}
        return {"seat": int(told["seat"]), "text": shown}

    def _visible_log(self, seat: int | None) -> list[list[Any]]:
        """The part of the log that this seat may see; empty for a game with a board."""
        if self.game.has_board:
            return []
        secret = self.game.hidden and self.outcome is None
        return [list(entry) for entry in self._log if not secret or entry[0] == seat]

    def _phase(self, text: str) -> dict[str, str]:
        if self.outcome is not None:
            return {"en": "the bout is over", "zh": "对局结束"}
        shown = text.strip()[:SHOWN_MESSAGE_CHARACTERS]
        if self.game.has_board or not shown:
            return {"en": "the bout begins", "zh": "对局开始"}
        return {"en": shown, "zh": shown}

    def _gestures(self, offered: Any, seat: int | None) -> dict[str, list[dict[str, Any]]]:
        """The offered gestures that stand for legal moves of seats that this viewer may see."""
        if not isinstance(offered, dict):
            return {}
        owners = [mover for mover in self.to_move if seat in (None, mover)]
        return {
            str(owner): [
                gesture
                for gesture in offered.get(str(owner), [])
                if gesture.get("move") in self.legal(owner)
            ]
            for owner in owners
        }

    def copy(self) -> Self:
        return copy.copy(self)

    def digest(self) -> str:
        return self._chain[:16]


def _illegal(seat: int, move: str, why: str) -> IllegalMove:
    return IllegalMove(seat, move[:200], why, f"不是 Saiblo 游戏的一步：{why}")


def decode_message(game: SaibloGame, body: bytes) -> Message | None:
    """Read a logic's message; None if it is malformed and the version ignores that."""
    try:
        return messages.read_message(body, game.protocol, len(game.seats))
    except LogicError:
        if game.protocol.ignores_malformed_messages:
            return None
        raise


def listened_seats(message: RoundMessage, seats: int) -> tuple[int, ...]:
    return tuple(sorted({seat for seat in message.listen if 0 <= seat < seats}))


def ends_step(message: Message | None, seats: int) -> bool:
    """Whether a step ends with this message: it asks a seat, or ends the bout."""
    if isinstance(message, RoundMessage):
        return bool(listened_seats(message, seats))
    return isinstance(message, EndMessage)


def make_outcome(message: EndMessage, seats: int) -> Outcome:
    """The logic's scores; with two seats, 1, ½ or 0 for who has the higher one."""
    scores = messages.parse_scores(message.end_info, seats)
    detail = {"end_info": message.end_info}
    if seats == 2:
        mine, other = scores
        half = 0.5 if mine == other else float(mine > other)
        scores = [half, 1 - half]
    return Outcome(tuple(scores), "ended", detail)


def _parse_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _is_bilingual(text: Any) -> bool:
    return isinstance(text, dict) and all(isinstance(text.get(lang), str) for lang in ("en", "zh"))


def _find_board(text: str) -> dict[str, Any] | None:
    """The view in a message: the message itself, or its ``view``."""
    message = _parse_object(text)
    view = message.get("view")
    board = view if isinstance(view, dict) else message
    return board if isinstance(board.get("layers"), dict) else None
