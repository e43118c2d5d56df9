"""Tasks of a worker pool, as plain data that can be sent to any process."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ludus.lang import Text
from ludus.workers.events import SendEvents, deliver_events


class TaskSetup(Protocol):
    """How the items of a task are processed. It is picklable; equal setups do the same."""

    def run(self, items: Iterable[Any]) -> Generator[Any, None, None]:
        """Yield one result for each item, in order; may end before the last.

        Resources of one item (the processes of bots) may be kept for the next ones, until the
        generator is closed. ``items`` may block: the next task of the same setup continues it.
        """

    def describe_items(self, items: Sequence[Any]) -> Text:
        """The name of an item, or of one of several, for messages: ``bout 2``."""


@dataclass(frozen=True, slots=True)
class Task:
    """Items for one worker, one after the other."""

    setup: TaskSetup
    items: tuple[Any, ...]
    fresh: bool = False
    """The setup is started for this task and ended with it, so that nothing is shared with the
    next one; otherwise a worker keeps it for the next task of the same setup."""
    whole: bool = False
    """The items build on each other: if a worker dies, all are repeated with a new setup;
    otherwise only the current item is."""

    @property
    def ends_setup(self) -> bool:
        return self.fresh or self.whole


@dataclass(frozen=True, slots=True)
class FunctionSetup:
    """Calls a function of a module with each item."""

    function: Callable[[Any], Any]

    def run(self, items: Iterable[Any]) -> Generator[Any, None, None]:
        for item in items:
            yield self.function(item)

    def describe_items(self, items: Sequence[Any]) -> Text:
        return Text("a task", "一项任务")


def run_task(task: Task, send_events: SendEvents | None = None) -> list[Any]:
    """Work a task off here and now: what an executor is given. ``send_events`` gets its events."""
    with contextlib.ExitStack() as stack:
        if send_events is not None:
            stack.enter_context(deliver_events(send_events))
        return list(stack.enter_context(contextlib.closing(task.setup.run(task.items))))
