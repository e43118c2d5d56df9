"""Names say what things are: one class, one name."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "ludus"
NO_PART = ("cli/templates/", "sdk/", "compat/saiblo/sdk/", "compat/saiblo/samples/")
"""What other people's programs begin from, or talk to: each has the words of its own world."""
DIALECTS = ("games/*/bots/*.py", "learn/bots/*.py", "compat/duel2048/human.py")
"""Bots, whose class is called as their game's dialect wants."""


def sources() -> dict[str, ast.Module]:
    """By path, those with classes that a reader may look for."""
    bots = {path for pattern in DIALECTS for path in SOURCE.glob(pattern)}
    found = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob("*.py")}
    return {
        name: ast.parse(path.read_text(encoding="utf-8"))
        for name, path in found.items()
        if path not in bots and not name.startswith(NO_PART) and "/checkout/" not in name
    }


def test_no_two_public_classes_share_a_name() -> None:
    places = defaultdict(list)
    for name, tree in sources().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    assert len(places) > 400
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
