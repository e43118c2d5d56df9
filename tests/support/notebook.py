"""A setup for workers: light to import, since every worker does."""

import os
import signal
import time
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ludus.errors import LudusError, PlatformFault
from ludus.lang import Text
from ludus.workers.events import emit_event


@dataclass(frozen=True)
class Notebook:
    """A setup that writes down when it is begun and ended, and does what its items say."""

    file: Path

    def run(self, items: Iterable[str]) -> Generator[str, None, None]:
        self.note(f"begun by {os.getpid()}")
        try:
            for item in items:
                if item == "enough":
                    return
                self.act(item)
                yield item
        finally:
            self.note("ended")

    def act(self, item: str) -> None:
        mark = self.file.with_name(f"{item}.mark")
        match item.split():
            case ["tell", event]:
                emit_event(event)
            case ["chatter", count]:
                for number in range(int(count)):
                    emit_event(number)
            case ["die"]:
                os.kill(os.getpid(), signal.SIGKILL)
            case ["die", "once"] if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            case ["refuse"]:
                raise LudusError("that is not allowed", "不允许")
            case ["fail"]:
                raise PlatformFault("the disk is full")
            case ["chatter", count, "sleep"]:
                self.act(f"chatter {count}")
                time.sleep(600)
            case ["sleep"]:
                self.note("asleep")
                time.sleep(600)

    def describe_items(self, items: Sequence[str]) -> Text:
        return {"en": f"item {items[0]}", "zh": f"条目 {items[0]}"}

    def note(self, line: str) -> None:
        with self.file.open("a") as file:
            file.write(f"{line}\n")

    def lines(self) -> list[str]:
        return self.file.read_text().splitlines() if self.file.exists() else []

    @property
    def begun(self) -> list[str]:
        return [line for line in self.lines() if line.startswith("begun")]
