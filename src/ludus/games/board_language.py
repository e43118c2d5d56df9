"""The board language: what a scene and a view say, as checks.

A *scene* (once per game and options) has ``rows``, ``columns``, ``layers`` (names, bottom first)
and ``tokens`` (per layer: token → owner, glyph, label, role), and may have ``zones``,
``counters``, ``bars``, ``charts`` and ``help`` (how to read the board). A *view* (per position) has
``layers`` (name → row-major list of tokens, ``""`` for nothing), ``phase`` in words, ``to_move``
and ``gestures`` (seat → list), and may have ``counters``, ``bars``, ``marks`` (name → cells),
``events`` and ``told`` (``seat`` and ``text``: the last step in words, as this viewer may know it).

A position of a large board may also offer ``changes(before, seat)``: the view without gestures,
but with ``cells`` (layer → list of ``[cell, token]``) instead of ``layers``: the cells that differ
from ``before``, an earlier position of the same bout. Films are then made without looking at every
cell in every step.

A gesture says which move a click, a drag, a key or a button means::

    {"kind": "cell", "row": 0, "column": 3, "move": "0,3"}
    {"kind": "drag", "row": 4, "column": 4, "to_row": 4, "to_column": 8, "move": "e5i5"}
    {"kind": "key", "key": "up", "move": "up"}
    {"kind": "button", "label": {"en": "pass", "zh": "跳过"}, "move": "pass"}

Arrows, rings and marks over a view, which come from an analysis or from a bot's note and never
from a game, are described in ``board_shapes``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ludus.games.base import Game, Position
from ludus.games.board_shapes import MAX_SHAPES, BoardShape, find_shape_problem

LANGUAGES = ("en", "zh")
ROLES = (
    "black",
    "white",
    "red",
    "blue",
    "green",
    "yellow",
    "purple",
    "unknown",
    "attacker",
    "defender",
    "king",
)
"""What the role of a token may say about its colour."""
NUMBERED_ROLE = re.compile("[a-z]+[0-9]+")
"""A role like ``level3`` (the darker the higher) leaves a token the colour of its owner."""
MAX_TYPED_CHARACTERS = 40
"""The most characters of a move that people can be asked to type."""


def require(kept: bool, otherwise: str) -> None:
    """Raise AssertionError unless the promise is kept."""
    if not kept:
        raise AssertionError(otherwise)


def require_both_languages(text: Any, what: str) -> None:
    """The text says something in English and in Chinese."""
    require(isinstance(text, Mapping), f"{what} is {text!r}, not a text in both languages")
    for lang in LANGUAGES:
        words = text.get(lang)
        require(isinstance(words, str) and words.strip() != "", f"{what} lacks {lang!r}: {text!r}")


def require_json(value: Any, what: str) -> None:
    """The value is JSON: written and read back it is the same (no tuples, no other keys)."""
    try:
        again = json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise AssertionError(f"{what} is not JSON: {error}") from None
    require(again == value, f"{what} is not JSON: written and read it becomes {again!r}")


def check_scene(scene: dict[str, Any], game: Game) -> None:
    """A scene is complete and consistent."""
    what = f"the scene of {game.name}"
    require_json(scene, what)
    for key in ("rows", "columns"):
        size = scene.get(key)
        require(type(size) is int and size > 0, f"{what} has {size!r} {key}")
    require(len(scene.get("layers", [])) > 0, f"{what} has no layers")
    require(set(scene["tokens"]) == set(scene["layers"]), f"{what}: tokens for every layer")
    for layer, tokens in scene["tokens"].items():
        for token, facts in tokens.items():
            check_token(facts, game, f"{what}: token {token!r} of {layer}")
    for zone in scene.get("zones", []):
        require_both_languages(zone["name"], f"a zone of {what}")
        check_owner(zone.get("owner"), game, f"zone {zone['name']['en']!r} of {what}")
        check_cells(zone["cells"], scene, f"zone {zone['name']['en']!r} of {what}")
    if "help" in scene:
        require_both_languages(scene["help"], f"the help of {what}")
    for kind in ("counters", "bars", "charts"):
        for entry in scene.get(kind, []):
            require_both_languages(entry["name"], f"{kind}: {entry['key']!r} of {what}")


def check_token(facts: dict[str, Any], game: Game, what: str) -> None:
    require(isinstance(facts.get("glyph"), str), f"{what} has no glyph")
    require_both_languages(facts.get("label"), f"the label of {what}")
    check_owner(facts.get("owner"), game, what)


def check_roles(scene: dict[str, Any], game: Game) -> None:
    """Roles are those that have a colour; a game with a skin of its own may have others."""
    for layer, tokens in scene["tokens"].items():
        for token, facts in tokens.items():
            role = facts.get("role", "")
            known = role in ("", *ROLES) or NUMBERED_ROLE.fullmatch(str(role)) is not None
            require(
                known,
                f"token {token!r} of {layer} of {game.name} has the role {role!r};"
                f" roles are: {', '.join(ROLES)}, level1, level2 …",
            )


def check_owner(owner: Any, game: Game, what: str) -> None:
    known = owner is None or (type(owner) is int and 0 <= owner < len(game.seats))
    require(known, f"{what} belongs to {owner!r}, which is not a seat")


def check_cells(cells: list[int], scene: dict[str, Any], what: str) -> None:
    size = scene["rows"] * scene["columns"]
    inside = all(type(cell) is int and 0 <= cell < size for cell in cells)
    require(inside, f"{what} has cells outside the board: {cells}")


def check_view(
    view: dict[str, Any],
    scene: dict[str, Any],
    position: Position,
    seat: int | None,
    game: Game,
    what: str,
) -> None:
    """A view fits its scene and its position."""
    require_json(view, what)
    require(set(view["layers"]) == set(scene["layers"]), f"{what} has other layers than the scene")
    for name, cells in view["layers"].items():
        check_layer(cells, scene["tokens"][name], scene, f"{what}: layer {name}")
    require(view["to_move"] == list(position.to_move), f"{what}: to_move is {view['to_move']}")
    require_both_languages(view["phase"], f"{what}: phase")
    check_counters(view, scene, game, what)
    for name, cells in view.get("marks", {}).items():
        check_cells(cells, scene, f"{what}: mark {name}")
    if told := view.get("told"):
        require(type(told["seat"]) is int, f"{what}: told has no seat")
        check_owner(told["seat"], game, f"{what}: told")
        require_both_languages(told["text"], f"{what}: told")
    for event in view.get("events", []):
        require(isinstance(event.get("kind"), str), f"{what}: event {event} has no kind")
    check_gestures(view["gestures"], scene, position, seat, what)


def check_shapes(shapes: Sequence[BoardShape], scene: dict[str, Any], what: str) -> None:
    """Shapes can be drawn over the board of a scene."""
    require(len(shapes) <= MAX_SHAPES, f"{what} has more than {MAX_SHAPES} shapes")
    for shape in shapes:
        problem = find_shape_problem(shape, scene["rows"] * scene["columns"])
        require(not problem, f"{what}: {shape}: {problem['en']}")


def check_layer(
    cells: list[str], tokens: Mapping[str, Any], scene: dict[str, Any], what: str
) -> None:
    size = scene["rows"] * scene["columns"]
    require(len(cells) == size, f"{what} has {len(cells)} cells, the scene has {size}")
    unknown = sorted({cell for cell in cells if cell and cell not in tokens})
    require(not unknown, f"{what} has tokens that the scene does not know: {unknown}")


def check_counters(view: dict[str, Any], scene: dict[str, Any], game: Game, what: str) -> None:
    """Counters and bars are those of the scene; one number, or one per seat."""
    for kind in ("counters", "bars"):
        known = {entry["key"]: entry for entry in scene.get(kind, [])}
        shown = view.get(kind, {})
        require(
            set(shown) == set(known), f"{what}: {kind} {set(shown)}, the scene says {set(known)}"
        )
        for key, value in shown.items():
            if known[key].get("per") == "seat":
                right = isinstance(value, list) and len(value) == len(game.seats)
                require(right, f"{what}: {key} must have one value per seat, not {value}")


def check_gestures(
    gestures: dict[str, list[dict[str, Any]]],
    scene: dict[str, Any],
    position: Position,
    seat: int | None,
    what: str,
) -> None:
    """Gestures mean legal moves only; a move that has none can be typed."""
    for owner, offered in gestures.items():
        legal = position.legal(int(owner)) if owner.isdecimal() else []
        for gesture in offered:
            require(gesture["move"] in legal, f"{what}: {gesture} is not legal for seat {owner}")
            problem = next(gesture_problems(gesture, scene), "")
            require(not problem, f"{what}: {gesture} {problem}")
    for mover in position.to_move if seat is None else {seat} & set(position.to_move):
        shown = {gesture["move"] for gesture in gestures.get(str(mover), [])}
        lost = [m for m in position.legal(mover) if m not in shown and not is_typeable(m)]
        require(not lost, f"{what}: no gesture for {lost}, which cannot be typed")


def gesture_problems(gesture: dict[str, Any], scene: dict[str, Any]) -> Iterator[str]:
    kind = gesture.get("kind")
    if kind in ("cell", "drag"):
        ends = ("", "to_") if kind == "drag" else ("",)
        for end in ends:
            row, column = gesture.get(f"{end}row", -1), gesture.get(f"{end}column", -1)
            if not (0 <= row < scene["rows"] and 0 <= column < scene["columns"]):
                yield "is not on the board"
    elif kind == "key":
        if not gesture.get("key"):
            yield "names no key"
    elif kind == "button":
        require_both_languages(gesture.get("label"), f"the label of {gesture}")
    else:
        yield "is neither cell, drag, key nor button"


def is_typeable(move: str) -> bool:
    """Whether people can type a move and see what it is."""
    plain = move.isprintable() and move == move.strip() and not move.startswith("?")
    return 0 < len(move) <= MAX_TYPED_CHARACTERS and plain
