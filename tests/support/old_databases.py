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


def in_utc(answer: Any) -> Any:
    """What an older Ludus said as one of today says it: bouts are listed in UTC."""
    if isinstance(answer, dict):
        return {key: in_utc(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [in_utc(value) for value in answer]
    if isinstance(answer, str) and answer.endswith("+08:00"):
        return format_utc(datetime.fromisoformat(answer))
    return answer
