"""A language model on a seat.

Each move is a conversation of its own: the rules, the position and the legal moves. Waiting for the
server is not CPU time: on a CPU clock it counts as waiting, of which a bout allows ``patience``
times its thinking time.
"""

from __future__ import annotations

import hashlib
import select
import time
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from ludus.bots.bot_protocols import InstalledProtocol
from ludus.bots.build import BuildSpec
from ludus.bots.notes import NoteBook
from ludus.bots.players.base import MoveAnswer, PlayerUsage, SeatBout, TimeLimit, TimeSpent
from ludus.bots.players.human import BoutAborted
from ludus.bots.players.interrupt import Interrupt
from ludus.bots.protocol import PROTOCOL_NAME
from ludus.bots.resolve import BotSource
from ludus.compat.llm.client import ChatFailure, ChatReply, PromptMessage, complete
from ludus.compat.llm.prompt import describe_game, describe_retry, describe_turn, find_move
from ludus.compat.llm.settings import ModelSettings, find_model
from ludus.errors import LudusError
from ludus.games.base import ClockView, Game, Outcome, Position
from ludus.games.host import Ply
from ludus.sandbox import Limits
from ludus.sandbox.bot_fault import BotFault, FaultKind

SCHEME = "llm"
ISOLATION = "remote"
"""The isolation of a seat, in records, whose player is a server elsewhere."""
MAX_KEPT_ANSWER_CHARS = 2000
"""Characters of an illegal answer that the model is reminded of."""


class LlmPlayer:
    """A language model behind an OpenAI-compatible address."""

    isolation = ISOLATION

    def __init__(
        self, name: str, settings: ModelSettings, digest: str, interrupt: Interrupt | None = None
    ) -> None:
        """LudusError if the key is not in the environment."""
        self.name, self.digest = name, digest
        self.usage = PlayerUsage()
        """What this bout has cost so far."""
        self.notes = NoteBook()
        """What the model answered, move by move."""
        self._settings, self._key = settings, settings.load_key()
        self._interrupt = interrupt

    def start(self, bout: SeatBout, limit: TimeLimit) -> TimeSpent:
        self.notes.begin_bout(bout)
        self._game, self._seat = bout.game, bout.seat
        self._position: Position = bout.game.start(bout.options, bout.seed)
        self._plies: list[Ply] = []
        self._waited = 0.0
        self._system = "\n\n".join(
            part for part in (self._settings.system, describe_game(bout.game, bout.options)) if part
        )
        self.usage = PlayerUsage(currency=self._settings.currency)
        return TimeSpent(0.0, 0.0)

    def turn(self, plies: Sequence[Ply], clock: ClockView, limit: TimeLimit) -> MoveAnswer:
        for ply in plies:
            self._position.play(ply)
        self._plies += plies
        self.notes.follow(len(plies))
        began = time.monotonic()
        wall = limit.measure == "wall"
        deadline = began + (limit.seconds if wall else limit.asleep - self._waited)
        try:
            move = self._choose_move(deadline)
        except BotFault as fault:
            fault.wall = time.monotonic() - began
            raise
        finally:
            self._waited += time.monotonic() - began
        return MoveAnswer(0.0, time.monotonic() - began, move)

    def _choose_move(self, deadline: float) -> str:
        legal = self._position.legal(self._seat)
        if len(legal) == 1:
            return legal[0]  # nothing to choose: no request is spent on it
        turn = describe_turn(self._game, self._position, self._seat, self._plies)
        messages = [PromptMessage("system", self._system), PromptMessage("user", turn)]
        answers: list[str] = []
        try:
            return self._ask_for_move(messages, legal, deadline, answers)
        finally:
            self.notes.add("\n".join(answers))

    def _ask_for_move(
        self,
        messages: list[PromptMessage],
        legal: Sequence[str],
        deadline: float,
        answers: list[str],
    ) -> str:
        """The first legal move that the model names; all its answers go to ``answers``."""
        for _ in range(self._settings.retries + 1):
            answer = self._request(messages, deadline).text
            answers.append(answer)
            if (move := find_move(answer, legal)) is not None:
                return move
            self.usage = replace(self.usage, illegal=self.usage.illegal + 1)
            messages = [
                *messages[:2],
                PromptMessage("assistant", answer[-MAX_KEPT_ANSWER_CHARS:]),
                PromptMessage("user", describe_retry(legal)),
            ]
        count = self._settings.retries + 1
        raise BotFault(
            FaultKind.ILLEGAL,
            f"none of its {count} answers named a legal move",
            f"它的 {count} 次回答都没有给出合法着法",
        )

    def _request(self, messages: Sequence[PromptMessage], deadline: float) -> ChatReply:
        """An answer of the model, however many attempts it takes; BotFault if there is none."""
        for attempt in range(self._settings.attempts):
            left = deadline - time.monotonic()
            if left <= 0:
                break
            try:
                reply = complete(
                    self._settings, self._key, messages, min(left, self._settings.timeout)
                )
            except ChatFailure as failure:
                self.usage = replace(
                    self.usage,
                    requests=self.usage.requests + 1,
                    failures=self.usage.failures + 1,
                )
                if failure.final or attempt == self._settings.attempts - 1:
                    raise _make_fault(failure, attempt + 1) from None
                self._wait(max(failure.wait, self._settings.backoff * 2**attempt), deadline)
            else:
                self._count(reply)
                return reply
        raise BotFault(
            FaultKind.TIMEOUT,
            f"it did not answer in time; it was asked {self.usage.requests} times in this bout",
            f"它没有及时回答；本局共询问了 {self.usage.requests} 次",
        )

    def _count(self, reply: ChatReply) -> None:
        usage, settings = self.usage, self._settings
        cost = reply.tokens_in * settings.price_in + reply.tokens_out * settings.price_out
        self.usage = replace(
            usage,
            requests=usage.requests + 1,
            tokens_in=usage.tokens_in + reply.tokens_in,
            tokens_out=usage.tokens_out + reply.tokens_out,
            cost=round(usage.cost + cost / 1e6, 9),
        )

    def _wait(self, seconds: float, deadline: float) -> None:
        """Wait before the next attempt, at most until the deadline."""
        seconds = max(min(seconds, deadline - time.monotonic()), 0.0)
        if self._interrupt is None:
            time.sleep(seconds)
            return
        waiting = select.poll()
        waiting.register(self._interrupt.descriptor, select.POLLIN)
        if waiting.poll(1000 * seconds):
            raise BoutAborted

    def end(self, plies: Sequence[Ply], outcome: Outcome, limit: TimeLimit) -> TimeSpent:
        """Nothing to do: the conversations are over."""
        return TimeSpent(0.0, 0.0)

    def output(self) -> dict[str, str]:
        """Empty: what was said to the model is its owner's, and what it said is in its notes."""
        return {"stdout": "", "stderr": ""}

    def close(self) -> None:
        """Nothing to do: every request has its own connection."""


def _make_fault(failure: ChatFailure, attempts: int) -> BotFault:
    en, zh = failure.why["en"], failure.why["zh"]
    if attempts > 1:
        en, zh = f"{en}, after {attempts} attempts", f"{zh}（尝试 {attempts} 次）"
    return BotFault(failure.kind, en, zh)


def open_seat(argument: str, game: Game) -> BotSource:
    """The seat ``llm:NAME``; LudusError unless the model is configured and its key is there."""
    if game.speaks != PROTOCOL_NAME or game.turn_source:
        raise LudusError(
            f"language models cannot play {game.name}, whose rules are a program of their own",
            f"语言模型不能玩 {game.name}：它的规则是一个独立的程序",
        )
    settings = find_model(argument)
    settings.load_key()
    name = f"{SCHEME}:{argument}"
    build_spec = BuildSpec(name, digest=_compute_digest(settings), argument=argument)
    return BotSource(name, build_spec, protocol=SCHEME)


def _compute_digest(settings: ModelSettings) -> str:
    """A digest of what decides how the model plays: neither its key nor its prices."""
    facts = msgspec.structs.replace(settings, key_variable="", price_in=0, price_out=0)
    return hashlib.sha256(msgspec.json.encode(facts)).hexdigest()


def create_player(
    source: BotSource,
    game: Game,
    *,
    limits: Limits,
    jail: str | None,
    interrupt: Interrupt | None,
) -> LlmPlayer:
    """The player of a model. Its settings are read where it plays, and never travel."""
    settings = find_model(source.build_spec.argument)
    return LlmPlayer(source.name, settings, source.digest, interrupt)


PROTOCOL = InstalledProtocol(create_player, for_programs=False)
