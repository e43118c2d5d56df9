"""Databases that an older Ludus wrote; see tests/golden/upgrade/FORMAT.md."""

import gzip
from datetime import datetime
from pathlib import Path
from typing import Any

from ludus.timestamps import format_utc

OLD = Path(__file__).parent.parent / "golden" / "upgrade"


def unpacked(name: str, folder: Path) -> Path:
    path = folder / name
    path.write_bytes(gzip.decompress((OLD / f"{name}.gz").read_bytes()))
    return path


def is_told(told: Any, answer: Any) -> bool:
    """Whether everything that was answered before still is. There may be more fields now; reasons
    have two languages, and are nothing where they were empty texts; seeds are texts."""
    if isinstance(answer, dict):
        return isinstance(told, dict) and all(
            key in told and is_told(told[key], value) for key, value in answer.items()
        )
    if isinstance(answer, list):
        return len(told) == len(answer) and all(map(is_told, told, answer))
    if isinstance(answer, int) and isinstance(told, str):
        return told == str(answer)  # seeds, which JavaScript would round
    if isinstance(answer, str) and not isinstance(told, str):
        return bool(told == ({"en": answer, "zh": answer} if answer else None))
    return bool(told == answer)


def in_utc(answer: Any) -> Any:
    """What an older Ludus said as one of today says it: bouts are listed in UTC."""
    if isinstance(answer, dict):
        return {key: in_utc(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [in_utc(value) for value in answer]
    if isinstance(answer, str) and answer.endswith("+08:00"):
        return format_utc(datetime.fromisoformat(answer))
    return answer
