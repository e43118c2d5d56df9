"""Stops a bot in this process just inside its next call: under pdb, or under an attached debugger.

``stop_at_next_call`` arms a debugger; it then stops at the first line of the bot's own code that
runs, whichever function of the bot is called by then, and not in the frames of Ludus before it.
"""

from __future__ import annotations

import bdb
import contextlib
import importlib
import os
import pdb
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Protocol

from ludus.errors import LudusError
from ludus.os_errors import describe_os_error

DEFAULT_PORT = 5678
"""The port on which VS Code expects a debugger, unless it is told another."""


class DebuggerQuit(BaseException):
    """The person left the debugger. Not an ``Exception``: no bot should catch it."""


class TurnDebugger(Protocol):
    """A debugger that can stop a bot."""

    def stop_at_next_call(self) -> None:
        """Stop at the first line of the bot's code that this thread runs from now on."""

    def enter_bot_thread(self) -> None:
        """Called in a thread of the bot's own before its code goes on: if a stop is wanted, it is
        wanted here."""

    def release(self) -> None:
        """The turn is over: stop only at breakpoints from now on."""

    def show_exception(self, error: BaseException) -> None:
        """Show where the bot raised an exception, with its variables."""


class NoDebugger:
    """Lets the bot run through."""

    def stop_at_next_call(self) -> None:
        pass

    def enter_bot_thread(self) -> None:
        pass

    def release(self) -> None:
        pass

    def show_exception(self, error: BaseException) -> None:
        pass


def is_in_folder(frame: FrameType, folder: Path) -> bool:
    """Whether a frame runs code of a file in a folder or below."""
    return Path(frame.f_code.co_filename).is_relative_to(folder)


class PdbDebugger(pdb.Pdb):
    """Python's own debugger, on this terminal."""

    def __init__(self, folder: Path) -> None:
        """``folder`` has the bot's files."""
        super().__init__(skip=["ludus", "ludus.*"])
        self.prompt = "(ludus-pdb) "
        self._folder = folder
        self._waiting = False
        self._streams = (sys.stdin, sys.stdout)

    def stop_at_next_call(self) -> None:
        self._waiting = True
        self.reset()
        self.set_step()
        sys.settrace(self.trace_dispatch)

    def enter_bot_thread(self) -> None:
        if not self._waiting:
            return
        frame: FrameType | None = sys._getframe().f_back
        while frame is not None:  # those that run already are told too
            frame.f_trace = self.trace_dispatch
            self.botframe, frame = frame, frame.f_back
        sys.settrace(self.trace_dispatch)

    def release(self) -> None:
        self._waiting = False
        self.set_continue()

    def show_exception(self, error: BaseException) -> None:
        tb = _skip_other_frames(error.__traceback__, self._folder)
        if tb is not None:
            self.reset()
            try:
                self.interaction(None, tb)
            except bdb.BdbQuit:
                raise DebuggerQuit from None
            finally:
                self.quitting = False

    def stop_here(self, frame: FrameType) -> bool:
        if not self._waiting:
            return bool(super().stop_here(frame))
        return is_in_folder(frame, self._folder)

    def trace_dispatch(self, frame: FrameType, event: str, arg: Any) -> Any:
        try:
            return super().trace_dispatch(frame, event, arg)
        except bdb.BdbQuit:
            raise DebuggerQuit from None

    def user_call(self, frame: FrameType, argument_list: Any) -> None:
        """Stop at the first line, where the arguments have their names, and not at the call."""
        if not self._waiting:
            super().user_call(frame, argument_list)

    def interaction(self, frame: FrameType | None, tb: Any) -> None:
        """Ask the person, at the terminal, even if the bot has streams of its own."""
        self._waiting = False
        with use_streams(*self._streams):
            super().interaction(frame, tb)


@contextlib.contextmanager
def use_streams(stdin: Any, stdout: Any) -> Iterator[None]:
    """Make these the process's streams for a while."""
    before = sys.stdin, sys.stdout
    sys.stdin, sys.stdout = stdin, stdout
    try:
        yield
    finally:
        sys.stdin, sys.stdout = before


def _skip_other_frames(tb: TracebackType | None, folder: Path) -> TracebackType | None:
    """A traceback from the bot's first frame on."""
    while tb is not None and not is_in_folder(tb.tb_frame, folder):
        tb = tb.tb_next
    return tb


class AttachedDebugger:
    """The debugger of an editor, by way of debugpy: attached already, or waited for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

        self._waiting = False

    def stop_at_next_call(self) -> None:
        self._waiting = True
        sys.setprofile(self._watch_calls)

    def enter_bot_thread(self) -> None:
        if not self._waiting:
            return
        frame: FrameType | None = sys._getframe()
        while frame is not None and not is_in_folder(frame, self._folder):
            frame = frame.f_back
        if frame is None:
            sys.setprofile(self._watch_calls)
        else:
            self._stop_at(frame)

    def release(self) -> None:
        self._waiting = False
        sys.setprofile(None)

    def show_exception(self, error: BaseException) -> None:
        """The editor stops at exceptions by itself, if its user wants that."""

    def _watch_calls(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "call" and is_in_folder(frame, self._folder):
            self._stop_at(frame)

    def _stop_at(self, frame: FrameType) -> None:
        """Suspend at the next line of a frame, as ``debugpy.breakpoint`` does for its caller's."""
        self._waiting = False
        sys.setprofile(None)
        importlib.import_module("pydevd").settrace(
            suspend=True,
            trace_only_current_thread=True,
            patch_multiprocessing=False,
            stop_at_frame=frame,
        )


def is_debugger_attached() -> bool:
    """Whether an editor runs this process under debugpy."""
    debugpy = sys.modules.get("debugpy")
    return debugpy is not None and bool(debugpy.is_client_connected())


def listen_for_debugger(port: int) -> None:
    """Open a port on this machine for an editor's debugger; LudusError without debugpy."""
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # it warns of Python's own files
    try:
        debugpy = importlib.import_module("debugpy")
    except ImportError:
        raise LudusError(
            "--listen needs the package debugpy, which is not installed: ludus add debugpy",
            "--listen 需要 debugpy 软件包，尚未安装：ludus add debugpy",
        ) from None
    try:
        debugpy.listen(("127.0.0.1", port))
    except (OSError, RuntimeError) as error:
        why = describe_os_error(error)
        raise LudusError(
            f"cannot wait for a debugger on port {port}: {why.en}",
            f"无法在端口 {port} 等待调试器：{why.zh}",
        ) from None


def wait_for_debugger() -> None:
    """Wait until an editor has connected to the port."""
    importlib.import_module("debugpy").wait_for_client()
