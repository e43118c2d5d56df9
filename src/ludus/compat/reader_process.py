"""Reads untrusted files in a process with few rights.

``python -m ludus.compat.reader_process FOLDER`` reads every file of a folder in the order of their
names and prints one JSON line for each: the packed record, or an error message. A file that takes
too long ends the whole process, because code that computes cannot be stopped reliably from inside;
the caller then starts a new process with the remaining files.
"""

from __future__ import annotations

import base64
import signal
import sys
from pathlib import Path
from typing import Any

import msgspec

from ludus.bots import limited_calls
from ludus.compat.reading import read_verified
from ludus.errors import LudusError
from ludus.lang import Text
from ludus.match.record import pack
from ludus.match.record_bytes import UnreadableFile

READER_BOUNDS = limited_calls.Bounds(cpu=60, memory=1 << 30)
"""For all files of a folder together."""
CPU_PER_FILE_S = 5.0
"""Seconds of computing for one file."""
UNREADABLE = Text("the file cannot be read", "无法读取该文件")


def read_file(path: Path) -> dict[str, Any]:
    """The JSON object for one file."""
    try:
        record = read_verified(path)
        return {"record": base64.b64encode(pack(record)).decode()}
    except LudusError as error:
        return {"error": error.as_json()}
    except (Exception, RecursionError, MemoryError) as error:
        what = type(error).__name__
        text = UNREADABLE.map(lambda words: f"{words} ({what})")
        return {"error": UnreadableFile(text.en, text.zh).as_json()}


def main(folder: str) -> None:
    limited_calls.confine(READER_BOUNDS)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process in any state
    for path in sorted(Path(folder).iterdir()):
        signal.setitimer(signal.ITIMER_PROF, CPU_PER_FILE_S)
        line = msgspec.json.encode({"file": path.name, **read_file(path)}) + b"\n"
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
