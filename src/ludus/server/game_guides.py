"""The guides of games as the API gives them, with boards that the rules made."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import cast

from ludus.errors import LudusError
from ludus.games import openings
from ludus.games.base import Game
from ludus.games.guide import (
    GameGuide,
    GuidePicture,
    GuideVariant,
    list_plies,
    read_guide,
    read_guide_text,
)
from ludus.lang import Text
from ludus.server.game_schemas import (
    GameGuideInfo,
    GuideBoard,
    GuideOpenings,
    GuideVariantInfo,
)
from ludus.server.live.board_schemas import BoardScene
from ludus.server.live.film import FrameDiffer, make_frame
from ludus.server.live.film_schemas import FilmStep

log = logging.getLogger(__name__)

SHOWN_OPENINGS = 6
"""How many openings of a list are shown."""
START = GuidePicture(name="start", caption=Text("The start", "开局"))


@lru_cache(64)
def find_guide(game: Game) -> GameGuide:
    """The game's guide; of a game without one, its rules as text. Of a guide that cannot be read,
    what can be."""
    folder = game.guide_folder
    if folder is not None and folder.is_dir():
        return _read_what_can_be(folder)
    options, none = game.Options(), Text("", "")
    rules = Text(game.rules_text(options, "en"), game.rules_text(options, "zh"))
    return GameGuide(none, rules, none, none)


def _read_what_can_be(folder: Path) -> GameGuide:
    for read in (read_guide, read_guide_text):
        try:
            return read(folder)
        except LudusError as error:
            log.warning("a guide is shown without a file that cannot be read: %s", error)
    none = Text("", "")
    return GameGuide(none, none, none, none)


@lru_cache(64)
def describe_guide(game: Game) -> GameGuideInfo:
    """The guide with its boards, without those that the rules do not reach."""
    guide = find_guide(game)
    boards = [_try_board(game, picture) for picture in _list_pictures(game, guide)]
    return GameGuideInfo(
        game=game.name,
        about=guide.about,
        rules=guide.rules,
        notation=guide.notation,
        bots=guide.bots,
        boards=[board for board in boards if board is not None],
        variants=[_describe_variant(game, variant) for variant in guide.variants],
        openings=_describe_openings(game),
    )


def _try_board(game: Game, picture: GuidePicture) -> GuideBoard | None:
    """The board of a picture; None, with a line in the log, if there is a mistake in it."""
    try:
        return _make_board(game, picture)
    except LudusError as error:
        log.warning("a guide is shown without a picture: %s", error)
    except Exception as error:  # rules of other packages may raise anything
        name = picture.name or picture.caption["en"]
        log.warning("the guide of %s is shown without picture %r: %r", game.name, name, error)
    return None


def _has_boards(game: Game) -> bool:
    """Whether positions can be shown here: the rules are not a program of their own."""
    return not game.turn_source and not game.scene(game.Options()).get("words")


def _list_pictures(game: Game, guide: GameGuide) -> Sequence[GuidePicture]:
    if _has_boards(game):
        return guide.pictures or [START]
    return [picture for picture in guide.pictures if picture.rows]


def _describe_variant(game: Game, variant: GuideVariant) -> GuideVariantInfo:
    board = None
    if _has_boards(game):
        start = GuidePicture(caption=variant.title, options=variant.options)
        board = _try_board(game, start)
    return GuideVariantInfo(variant.title, variant.about, dict(variant.options), board)


def _describe_openings(game: Game) -> GuideOpenings:
    if game.turn_source:
        return GuideOpenings("start", 0, [])
    options = game.Options()
    if game.is_seeded(options):
        return GuideOpenings("seed", 0, [])
    try:
        suite = openings.resolve_openings("", game, options)
    except Exception as error:  # a file that cannot be read; rules of other packages raise anything
        log.warning("the guide of %s is shown without its openings: %s", game.name, error)
        return GuideOpenings("suite", 0, [])
    if not isinstance(suite, openings.OpeningSuite):
        return GuideOpenings("random", openings.DEFAULT_RANDOM_PLIES, [])
    step = max(1, len(suite.lines) // SHOWN_OPENINGS)
    samples = [_make_opening(game, line) for line in suite.lines[::step][:SHOWN_OPENINGS]]
    drawn = [board for board in samples if board is not None]
    return GuideOpenings("suite", len(suite.lines), drawn)


def _make_opening(game: Game, line: Sequence[str]) -> GuideBoard | None:
    """The board of an opening; None if a move of it is not legal."""
    moves = " ".join(line)
    picture = GuidePicture(caption=Text(moves, moves), moves=moves, animated=len(line))
    return _try_board(game, picture)


def _make_board(game: Game, picture: GuidePicture) -> GuideBoard:
    """The position of a picture, reached by the rules or given as rows."""
    if picture.rows:
        return _draw_board(game, picture)
    options = game.Options.parse(picture.options)
    plies = list_plies(game, picture)
    position = game.start(options, picture.seed)
    first_animated = len(plies) - picture.animated
    differ = None if first_animated > 0 else FrameDiffer(position)
    steps: list[FilmStep] = []
    for number, ply in enumerate(plies, 1):
        position.play(ply)
        if differ is not None:
            step = differ.next_step(position)
            step.moves = {str(seat): game.spoken(move) for seat, move in ply.items()}
            steps.append(step)
        elif number == first_animated:
            differ = FrameDiffer(position)
    assert differ is not None
    scene = cast(BoardScene, game.scene(options))
    return GuideBoard(picture.name, picture.caption, scene, differ.first_frame, steps)


def _draw_board(game: Game, picture: GuidePicture) -> GuideBoard:
    """A board of as many rows and columns as the picture has."""
    rows = [row.split() for row in picture.rows]
    columns = max(map(len, rows))
    cells = ["" if token == "." else token for row in rows for token in _fill_row(row, columns)]
    scene = {**game.scene(game.Options()), "rows": len(rows), "columns": columns}
    view = {"layers": {scene["layers"][0]: cells}, "phase": Text("", ""), "to_move": []}
    frame = make_frame(view)
    return GuideBoard(picture.name, picture.caption, cast(BoardScene, scene), frame, [])


def _fill_row(row: Sequence[str], columns: int) -> list[str]:
    return [*row, *["."] * (columns - len(row))]
