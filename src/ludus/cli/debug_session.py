"""What ``ludus debug`` does and shows."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import Progress

from ludus.analysis.bot_replay import (
    BotReplay,
    RandomNumbers,
    RecordedSeat,
    ReplayedTurn,
    open_recorded_seat,
    open_seat_alone,
)
from ludus.analysis.debug_player import DebuggedBot, forget_imports_from, open_debugged_bot
from ludus.analysis.recorded_turns import RecordedTurn, has_failed_to_start, position_before
from ludus.analysis.turn_debugger import (
    AttachedDebugger,
    DebuggerQuit,
    NoDebugger,
    PdbDebugger,
    TurnDebugger,
    is_debugger_attached,
    listen_for_debugger,
    wait_for_debugger,
)
from ludus.called import program_name
from ludus.cli import output
from ludus.cli.board import SeatCaption, TerminalBoard, draw_frame
from ludus.cli.debug import choose_seat
from ludus.cli.options import make_labels
from ludus.cli.record_answers import speak_answer
from ludus.cli.recorded_bot import did_not_play_error, find_seats
from ludus.compat.reading import read_verified
from ludus.errors import LudusError
from ludus.escape import escape_to_one_line
from ludus.lang import counted, tr, translate
from ludus.match.record import load_game
from ludus.match.record_files import records_folder

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ludus.match.verdict import SeatFault

MAX_LISTED_DIFFERENCES = 8


class DebugSession:
    """One bot in one record, up to one step and perhaps on from there."""

    def __init__(
        self,
        path: Path,
        bot: str,
        seat: str | None,
        step: int | None,
        to: int | None,
        *,
        fresh: bool = False,
    ) -> None:
        """``fresh`` leaves out the bouts that the bot's process had played before."""
        self.record = read_verified(path)
        self.game, self.options = load_game(self.record)
        own = find_seats(self.record, bot)
        if seat is None and not own:
            raise _seat_needed_error(did_not_play_error(self.record, bot, path))
        number = choose_seat(self.record, seat, step, own)
        self.seat: RecordedSeat = (
            open_seat_alone(self.record, number)
            if fresh
            else open_recorded_seat(self.record, number, [path.absolute().parent, records_folder()])
        )
        self.turn = _choose_turn(self.seat, step)
        self.wanted_step = step
        self.later = _list_later_turns(self.seat, self.turn, to)
        self.bot: DebuggedBot = open_debugged_bot(bot, self.game)
        self.console = output.stdout_console()

    def run(self, *, listen: int | None, stop: bool) -> int:
        """Bring the bot to the step, stop there, and show what it answers."""
        debugger = self._open_debugger(listen, stop)
        folder = self.bot.folder
        with contextlib.chdir(folder), forget_imports_from(folder):  # where it is in its jail
            return self._debug(debugger)

    def _debug(self, debugger: TurnDebugger) -> int:
        player = self.bot.create_player(self.game, debugger)
        replay = BotReplay(player, self.seat)
        try:
            self._print_notes()
            if not self._bring_to_step(replay):
                return 1
            self.console.print(self._render_board())
            self._print_clock()
            if isinstance(debugger, PdbDebugger):
                self._print(
                    tr(
                        "n: next line, s: step into, p NAME: print, c: go on, q: leave, h: help",
                        "n：下一行，s：步入，p 名称：打印，c：继续，q：退出，h：帮助",
                    )
                )
            return self._ask(replay, debugger)
        except DebuggerQuit:
            self._print(tr("left the debugger", "已退出调试器"))
            return 0
        finally:
            player.close()

    def _open_debugger(self, listen: int | None, stop: bool) -> TurnDebugger:
        if not stop:
            return NoDebugger()
        if listen is not None:
            listen_for_debugger(listen)
            self._print(
                tr(
                    f"waiting for a debugger on 127.0.0.1:{listen} …",
                    f"正在 127.0.0.1:{listen} 等待调试器……",
                )
            )
            sys.stdout.flush()  # an editor may read it from a pipe
            wait_for_debugger()
        if listen is not None or is_debugger_attached():
            return AttachedDebugger(self.bot.folder)
        return PdbDebugger(self.bot.folder)

    def _bring_to_step(self, replay: BotReplay) -> bool:
        """Start the bot and ask it all earlier questions; False if it fails on the way."""
        with (
            _show_earlier_bouts(len(self.seat.earlier)) as on_bout,
            contextlib.redirect_stdout(io.StringIO()),
        ):
            fault = replay.start(on_bout)
            before = [turn for turn in self.seat.turns.turns if turn.step < self.turn.step]
            answers = [] if fault else list(replay.answers(before))
        if answers and answers[-1].fault:
            fault = answers[-1].fault
            step = answers[-1].turn.step
            self._print(tr(f"it fails at step {step} already:", f"它在第 {step} 步就已出错："))
        elif fault:
            self._print(tr("it fails when it is started:", "它在启动时就出错："))
        if fault is not None:
            self._print_fault(fault)
            return False
        self._print_differences(answers)
        return True

    def _ask(self, replay: BotReplay, debugger: TurnDebugger) -> int:
        debugger.stop_at_next_call()
        try:
            answer = replay.ask(self.turn)
        finally:
            debugger.release()
        self._print_answer(answer)
        if answer.error is not None:
            debugger.show_exception(answer.error)
        same = answer.is_same
        if answer.fault is None:
            for later in replay.answers(self.later):
                self._print_answer(later)
                same = same and later.is_same
        debugger.release()
        return 0 if same and answer.fault is None else 1

    # What is shown

    def _print(self, line: str) -> None:
        self.console.print(line, soft_wrap=True, highlight=False, markup=False)

    def _print_notes(self) -> None:
        """Everything in which the bot is not in the state of the bout."""
        seat, recorded = self.seat, self.record.bots[self.seat.seat]
        if self.wanted_step is not None and self.wanted_step != self.turn.step:
            mover, own = _name_mover(seat, self.wanted_step)
            self._print(
                tr(
                    f"step {self.wanted_step} is {mover}'s; the next step of {own} is"
                    f" {self.turn.step}",
                    f"第 {self.wanted_step} 步由 {mover} 走；"
                    f"{own} 的下一步是第 {self.turn.step} 步",
                )
            )
        if recorded.digest and recorded.digest != self.bot.source.digest:
            self._print(
                tr(
                    f"note: this is not the version that played as {recorded.name}"
                    f" ({recorded.digest[:8]}); it is asked the same questions",
                    f"注意：这不是当时以 {recorded.name} 对局的版本（{recorded.digest[:8]}）；"
                    "向它提出同样的问题",
                )
            )
        if seat.random_numbers is not RandomNumbers.SAME:
            self._print(
                tr(
                    "note: its random numbers are other ones than then: the bout was played with"
                    " another key (LUDUS_RANDOM_KEY), or by an older Ludus",
                    "注意：它的随机数与当时不同：该局使用了另一个密钥（LUDUS_RANDOM_KEY），"
                    "或由旧版 Ludus 进行",
                )
            )
        if not seat.is_history_complete:
            self._print(
                tr(
                    "note: its process had played earlier bouts, whose records were not found; what"
                    " it kept from them (storage, global variables) is missing",
                    "注意：它的进程此前还下过别的局，未找到那些录像；"
                    "它从中保留的内容（storage、全局变量）缺失",
                )
            )
        if not seat.turns.is_clock_exact:
            self._print(
                tr(
                    "note: an older record: the clocks are right to about the time of its start",
                    "注意：旧版录像：所示时间的误差约为其启动用时",
                )
            )

    def _print_differences(self, answers: Sequence[ReplayedTurn]) -> None:
        """Where it answered something else on the way than what was played."""
        others = [each for each in answers if not each.is_same]
        count = len(answers)
        self._print(
            tr(
                f"{counted(count, 'earlier turn', 'earlier turns')},"
                f" {count - len(others)} answered as in the record",
                f"此前 {count} 次提问，{count - len(others)} 次回答与录像相同",
            )
        )
        for each in others[:MAX_LISTED_DIFFERENCES]:
            self._print_answer(each)
        if len(others) > MAX_LISTED_DIFFERENCES:
            more = len(others) - MAX_LISTED_DIFFERENCES
            self._print(tr(f"  … and {more} more", f"  ……另有 {more} 处"))

    def _render_board(self) -> RenderableType:
        position = position_before(self.record, self.turn.step)
        view = position.view(self.seat.seat if self.game.hidden else None)
        board = TerminalBoard.for_console(self.console, self.game.scene(self.options))
        names = make_labels([bot.name for bot in self.record.bots])
        seated = [
            SeatCaption(name, seat, left)
            for name, seat, left in zip(names, self.game.seat_names, self.turn.clocks, strict=True)
        ]
        step = tr(f"before step {self.turn.step}", f"第 {self.turn.step} 步之前")
        return draw_frame(board, view, seated, f"{translate(self.game.title)} · {step}")

    def _print_clock(self) -> None:
        clock = self.turn.clock
        self._print(
            tr(
                f"its clock: {clock.mine:.3f} s left, {clock.limit:.3f} s for this move",
                f"它的计时：剩 {clock.mine:.3f} 秒，本步可用 {clock.limit:.3f} 秒",
            )
        )

    def _print_answer(self, replayed: ReplayedTurn) -> None:
        step = tr(f"step {replayed.turn.step}", f"第 {replayed.turn.step} 步")
        if replayed.fault is not None:
            self._print(f"{step}{tr(':', '：')}")
            self._print_fault(replayed.fault)
            return
        assert replayed.answer is not None
        answered = escape_to_one_line(speak_answer(self.game, replayed.answer))
        said = tr(f"answered {answered}", f"回答 {answered}")
        self._print(f"  {step}{tr(': ', '：')}{said}{self._compare(replayed)}")

    def _compare(self, replayed: ReplayedTurn) -> str:
        played = replayed.turn.played
        if played is None:
            return tr("; the bout ended here by a fault", "；对局在此因异常结束")
        if replayed.is_same:
            return tr(", as in the record", "，与录像相同")
        shown = escape_to_one_line(self.game.spoken(played))
        return tr(f", the record has {shown}", f"，录像中为 {shown}")

    def _print_fault(self, fault: SeatFault) -> None:
        self._print(f"  {escape_to_one_line(translate(fault.why))}")
        if fault.trace:
            self._print(output.escape_unsafe(fault.trace.rstrip()))


@contextlib.contextmanager
def _show_earlier_bouts(count: int) -> Iterator[Callable[[], None]]:
    """Say that earlier bouts are played first, which may take long; a bar on a terminal."""
    if not count:
        yield lambda: None
        return
    print(
        tr(
            f"first replays the earlier bouts of the match ({count}), which the bot may remember;"
            " --fresh leaves them out …",
            f"先重新演算同一场中此前的 {count} 局，AI 可能记得其中的内容；--fresh 可跳过……",
        ),
        file=sys.stderr,
        flush=True,
    )
    with Progress(
        console=output.stderr_console(),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not sys.stderr.isatty(),
    ) as progress:
        task = progress.add_task(tr("bouts", "局"), total=count)
        yield lambda: progress.advance(task)


def _choose_turn(seat: RecordedSeat, step: int | None) -> RecordedTurn:
    """The question at which to stop: that of a step, or the one with which the bout ended."""
    turns = seat.turns.turns
    if has_failed_to_start(seat.record):
        raise LudusError(
            "a bot could not be started in this bout, so nothing was asked;"
            f" {program_name()} why tells more",
            f"此局有 AI 未能启动，没有任何提问；详见 {program_name()} why",
        )
    if step is None:
        if turns and turns[-1].played is None:
            return turns[-1]
        raise LudusError(
            "this bot did not fail in the bout, so say where to stop: --step N",
            "该 AI 在此局没有出现异常，请指明停在哪一步：--step N",
        )
    position_before(seat.record, step)  # LudusError if there is no such step
    if turn := seat.turns.find_turn(step):
        return turn
    if seat.record.opening_moves and turns and step < turns[0].step:
        raise LudusError(
            f"step {step} is part of the opening, which no bot chose; the bot is first asked at"
            f" step {turns[0].step}",
            f"第 {step} 步属于开局，不由 AI 选择；最先询问该 AI 的是第 {turns[0].step} 步",
        )
    if turn := next((turn for turn in turns if turn.step > step), None):
        return turn
    if not turns:
        raise LudusError("this seat was never asked in the bout", "该座位在此局中从未被询问")
    mover, own = _name_mover(seat, step)
    raise LudusError(
        f"step {step} is {mover}'s; {own} answered last at {turns[-1].step}",
        f"第 {step} 步由 {mover} 走；{own} 最后走的是第 {turns[-1].step} 步",
    )


def _name_mover(seat: RecordedSeat, step: int) -> tuple[str, str]:
    """Who decided a step, and the bot of the seat."""
    names = make_labels([bot.name for bot in seat.record.bots])
    movers = [names[number] for number in position_before(seat.record, step).to_move]
    return escape_to_one_line(" + ".join(movers)), escape_to_one_line(names[seat.seat])


def _seat_needed_error(error: LudusError) -> LudusError:
    return error.rephrase(
        f"{error.text['en']}; --seat puts it on a seat there",
        f"{error.text['zh']}；可用 --seat 让它坐在其中一个座位上",
    )


def _list_later_turns(seat: RecordedSeat, turn: RecordedTurn, to: int | None) -> list[RecordedTurn]:
    if to is None:
        return []
    if to < turn.step:
        raise LudusError(
            f"--to {to} lies before step {turn.step}", f"--to {to} 在第 {turn.step} 步之前"
        )
    return [each for each in seat.turns.turns if turn.step < each.step <= to]
