"""What a command that is stopped by Ctrl-C says of how to go on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from ludus.lang import tr


@contextlib.contextmanager
def hint_on_interrupt(make_hint: Callable[[], str]) -> Iterator[None]:
    """If the block is interrupted, let the one line of ``ludus.cli.main`` end with this hint."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        interrupt.add_note(make_hint())
        raise


def same_command_hint() -> str:
    """For commands that continue what they began before."""
    return tr("The same command goes on from here.", "再次运行同一命令即可从这里继续。")
