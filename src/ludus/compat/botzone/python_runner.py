"""Runs a Python bot of Botzone for one turn, in a fork of the template.

The interpreter, the modules that such bots usually import and numpy are loaded already, so a turn
costs a fork and not a start of Python.
"""

from __future__ import annotations

import os
import runpy
import sys
import threading
import traceback
from pathlib import Path
from typing import IO, NoReturn

# Bots of Botzone import these; loaded here, they cost a turn nothing.
import bisect  # noqa: F401  # isort: skip
import collections  # noqa: F401  # isort: skip
import copy  # noqa: F401  # isort: skip
import datetime  # noqa: F401  # isort: skip
import functools  # noqa: F401  # isort: skip
import heapq  # noqa: F401  # isort: skip
import itertools  # noqa: F401  # isort: skip
import json  # noqa: F401  # isort: skip
import math  # noqa: F401  # isort: skip
import random  # noqa: F401  # isort: skip
import time  # noqa: F401  # isort: skip

from ludus.bots.players.local import seed_generators

SEED_VARIABLE = "LUDUS_RANDOM_SEED"


def preload(game: str) -> str:
    """Everything is loaded with this module; no package of a game needs to be shown."""
    return ""


def serve(path: Path, prints: int) -> NoReturn:
    """Run the bot's file as the main program; its stdin and stdout are Botzone's."""
    os.close(prints)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = _open_stream(number, "w" if number else "r")
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.path.insert(0, str(path.parent))
    seed_generators(os.environ.get(SEED_VARIABLE, ""))
    os._exit(_run(path))


def _open_stream(number: int, mode: str) -> IO[str]:
    return open(
        number, mode, buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
    )


def _run(path: Path) -> int:
    """The exit code of the bot, once its threads have ended too."""
    code = 0
    try:
        runpy.run_path(str(path), run_name="__main__")
    except SystemExit as error:
        code = _exit_code(error.code)
    except BaseException:
        traceback.print_exc()
        code = 1
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return 1
    return code


def _exit_code(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1
