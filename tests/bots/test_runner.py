"""The runner: what a bot's process answers to each frame."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.bots import protocol, runner
from ludus.bots.runner import BotRunner

BAD = Path(__file__).parent / "bad"


class Line:
    """A referee's end of the pipes, with a runner at the other."""

    def __init__(self, path: Path) -> None:
        self.reader = protocol.ReplyReader()
        incoming, self.to = os.pipe()
        self.back, outgoing = os.pipe()
        self.thread = threading.Thread(target=BotRunner(path, incoming, outgoing).serve)
        self.thread.start()
        self.open = [incoming, outgoing, self.back]

    def ask(self, request: protocol.Request) -> protocol.Reply:
        os.write(self.to, protocol.pack_frame(request))
        while True:
            reply = self.reader.feed(os.read(self.back, 65536))
            if reply is not None:
                return reply

    def hang_up(self) -> None:
        os.close(self.to)
        self.thread.join(10)
        assert not self.thread.is_alive()
        for fd in self.open:
            os.close(fd)


@pytest.fixture
def lines() -> Iterator[list[Line]]:
    opened: list[Line] = []
    yield opened
    for line in opened:
        line.hang_up()


MATCH = protocol.MatchBeginRequest("duel2048", 1, ["first", "second"])


def test_a_whole_bout_frame_by_frame(lines: list[Line]) -> None:
    line = Line(BAD / "normal.py")
    lines.append(line)
    assert line.ask(protocol.Hello(protocol.PROTOCOL_NAME)) == protocol.Hello(
        protocol.PROTOCOL_NAME
    )
    assert line.ask(MATCH) == protocol.ReadyReply()
    assert line.ask(protocol.StartRequest(1, 7, {"rounds": 1}, 5.0)) == protocol.ReadyReply()
    first = line.ask(protocol.TurnRequest(1, [{0: "0,4"}], (5.0, 5.0), 5.0))
    assert isinstance(first, protocol.MoveReply) and first.n == 1
    second = line.ask(protocol.TurnRequest(2, [{1: first.move}], (5.0, 5.0), 5.0))
    assert isinstance(second, protocol.MoveReply) and second.move in ("up", "down", "left", "right")
    end = protocol.EndRequest([{1: second.move}], (0.5, 0.5), "tied", {})
    assert line.ask(end) == protocol.ReadyReply()


def test_what_the_bot_raises_comes_back_as_an_answer(lines: list[Line]) -> None:
    line = Line(BAD / "raises_in_init.py")
    lines.append(line)
    line.ask(protocol.Hello(protocol.PROTOCOL_NAME))
    assert line.ask(MATCH) == protocol.ReadyReply()
    error = line.ask(protocol.StartRequest(0, 7, {}, 5.0))
    assert isinstance(error, protocol.ErrorReply) and error.kind == "crash"
    assert "not today" in error.trace


@pytest.mark.parametrize(
    ("match", "file", "says"),
    [
        (MATCH, "no_output_method.py", "does not define a bot"),
        (MATCH, "import_error.py", "no_such_module_anywhere"),
        (protocol.MatchBeginRequest("duel2049", 1, []), "normal.py", "there is no game"),
    ],
)
def test_what_cannot_be_loaded_is_said(
    lines: list[Line], match: protocol.MatchBeginRequest, file: str, says: str
) -> None:
    line = Line(BAD / file)
    lines.append(line)
    error = line.ask(match)
    assert isinstance(error, protocol.ErrorReply) and error.kind == "load"
    assert says in error.en


def test_the_referee_may_hang_up_in_the_middle_of_a_frame() -> None:
    line = Line(BAD / "normal.py")
    os.write(line.to, b"\0\0\1\0half a frame")
    line.hang_up()


def test_the_pipes_are_moved_out_of_the_bots_way() -> None:
    """In a process of its own: descriptors 0 and 1 become harmless."""
    out_read, out_write = os.pipe()
    ask_read, ask_write = os.pipe()
    say_read, say_write = os.pipe()
    if (pid := os.fork()) == 0:
        os.dup2(ask_read, 0)
        os.dup2(say_write, 1)
        incoming, outgoing = runner._take_pipes(out_write, runner.RecentPrints())
        os.write(1, b"printed")
        os.write(outgoing, b"answered " + os.read(incoming, 100) + os.read(0, 100))
        os._exit(0)
    os.write(ask_write, b"question")
    os.waitpid(pid, 0)
    assert os.read(say_read, 100) == b"answered question"
    assert os.read(out_read, 100) == b"printed"
    for fd in (out_read, out_write, ask_read, ask_write, say_read, say_write):
        os.close(fd)
