"""Running programs, with what they said where they fail."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

Words = Sequence[str | Path]
"""A command line."""


class ReleaseError(Exception):
    """Why this cannot be released, in a sentence."""


def run(
    command: Words,
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """What the program printed; raises ReleaseError with the end of it if it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if done.returncode:
        words = " ".join(str(word) for word in command)
        raise ReleaseError(f"{words} ended with {done.returncode}:\n{done.stdout[-3000:]}")
    return done.stdout
