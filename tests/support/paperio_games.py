"""The recorded games of the original, and its way to hash a frame."""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "golden" / "paperio"

REASONS = {0: "wall", 1: "band", 2: "side", 3: "face", 4: "land", -3: "area"}


def games() -> list[dict[str, Any]]:
    with gzip.open(FOLDER / "games.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def starts() -> dict[str, Any]:
    return json.loads((FOLDER / "starts.json").read_text(encoding="utf-8"))


def options_of(game: dict[str, Any]) -> dict[str, Any]:
    """The options under which the game was played; the start is drawn unless it was given."""
    found = {"k": game["k"], "h": game["h"], "turns": game["maxturn"]}
    if game["overrides"]:
        for name, start, given in zip(
            ("first", "second"), game["start"], game["overrides"], strict=True
        ):
            found[name] = [start["x"], start["y"], start["direction"], given.get("expand", 1)]
    return found


def frame_hash(field: Any) -> str:
    """Eight digits of everything in a frame but the times."""
    heads = ";".join(f"{x},{y},{heading}" for x, y, heading in field.heads)
    left = field.turns - (field.steps + 1) // 2, field.turns - field.steps // 2
    trails = "|".join("".join(map(str, trail)) for trail in field.trails)
    signs = bytes.maketrans(b"\0\1\2", b".12")
    cells = "|".join(layer.translate(signs).decode() for layer in (field.land, field.bands))
    text = f"{heads}|{left[0]},{left[1]}|{trails}|{cells}"
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def hashes(game: dict[str, Any]) -> list[str]:
    text = game["hash"]
    return [text[i : i + 8] for i in range(0, len(text), 8)]
