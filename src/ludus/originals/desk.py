"""Reads files that nobody vouches for, in a process that can do little else.

``python -m ludus.originals.desk FOLDER`` reads every file of a folder in the order of their names
and prints one JSON line for each: the record, packed, or a sentence about what is wrong.
"""

from __future__ import annotations

import base64
import resource
import sys
from pathlib import Path
from typing import Any

import msgspec

from ludus.errors import LudusError
from ludus.match.record import pack
from ludus.originals.reading import read_true

MEMORY = 2 << 30
"""Bytes of address space."""
CPU = 60
"""Seconds."""
UNREADABLE = {"en": "the file cannot be read", "zh": "无法读取该文件"}


def confine() -> None:
    """Give up what reading does not need: memory, time, new files, a core dump."""
    limits = {
        resource.RLIMIT_AS: MEMORY,
        resource.RLIMIT_CPU: CPU,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 64,
    }
    for which, most in limits.items():
        _, hard = resource.getrlimit(which)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (most, most))


def tell(path: Path) -> dict[str, Any]:
    """What one file holds."""
    try:
        record = read_true(path)
        return {"record": base64.b64encode(pack(record)).decode()}
    except LudusError as error:
        return {"error": error.text}
    except (Exception, RecursionError, MemoryError) as error:
        what = type(error).__name__
        return {"error": {lang: f"{text} ({what})" for lang, text in UNREADABLE.items()}}


def main(folder: str) -> None:
    confine()
    for path in sorted(Path(folder).iterdir()):
        line = msgspec.json.encode({"file": path.name, **tell(path)}) + b"\n"
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
