"""Transcripts of matches, as the golden data has them: what was said in which direction."""

import base64
import gzip
import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "saiblo"
SCENARIOS = GOLDEN / "scenarios"
PROBE = Path(__file__).with_name("probe.py")
"""A logic or an AI that does what a scenario says."""
END = b'"end_info"'


@dataclass
class Transcript:
    """What a judger said in one match: to the logic message by message, to each AI all in all."""

    to_logic: list[Any] = field(default_factory=list)
    to_players: dict[str, bytes] = field(default_factory=lambda: defaultdict(bytes))
    over: bool = False

    def add(self, direction: str, body: bytes) -> None:
        """``body`` without its header."""
        if direction == "L>J" and END in body:
            self.over = True  # what comes later is a race
        if self.over:
            return
        if direction == "J>L":
            self.to_logic.append(readable(json.loads(body)))
        elif direction.startswith("J>A"):
            self.to_players[direction] += body

    def by_source(self) -> dict[Any, list[Any]]:
        """The messages to the logic, in order for each player that they are about."""
        found = defaultdict(list)
        for message in self.to_logic:
            about = message.get("player")
            if about == -1:
                about = message["content"]["player"]
            found[about].append(message)
        return dict(found)


def readable(message: Any) -> Any:
    """A message to the logic with what may differ masked."""
    if "time" in message:
        message["time"] = "…"
    if str(message.get("replay", "")).startswith("/"):
        message["replay"] = "…"
    if message.get("player") == -1:
        message["content"] = json.loads(message["content"])
    return message


def golden(name: str) -> Transcript:
    """A recorded transcript."""
    transcript = Transcript()
    for record in records(name):
        if "dir" in record:
            raw = base64.b64decode(record["b64"])
            skip = {"J>L": 4, "L>J": 8}.get(record["dir"], 0)
            transcript.add(record["dir"], raw[skip:])
    return transcript


def records(name: str) -> list[dict[str, Any]]:
    with gzip.open(GOLDEN / f"{name}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def stdout_of(name: str) -> bytes:
    """What the recorded judger printed."""
    said = [r["b64"] for r in records(name) if r.get("dir") == "J>STDOUT"]
    return b"".join(base64.b64decode(text) for text in said)
