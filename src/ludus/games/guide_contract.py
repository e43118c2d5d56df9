"""What the contract of games asks of a game's guide (``ludus.games.guide``)."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any

from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.board_language import LANGUAGES, require, require_both_languages
from ludus.games.guide import (
    HEADING,
    PARTS,
    PICTURE_LINE,
    PICTURES_FILE,
    GuidePicture,
    list_plies,
    read_guide,
)


def check_guide(game: Game) -> None:
    """The guide is there in both languages, and the rules reach its pictures and variants."""
    folder = game.guide_folder
    if folder is None:
        return
    require(folder.is_dir(), f"the guide of {game.name} is in {folder}: no such folder")
    try:
        pictures = read_guide(folder).pictures
    except LudusError as error:
        raise AssertionError(f"the guide of {game.name}: {error}") from None
    for language in LANGUAGES:
        _check_text(game, language, [picture.name for picture in pictures])
    for picture in pictures:
        _check_picture(game, picture)
    if (folder / PICTURES_FILE).is_file():
        _check_words(game, tomllib.loads((folder / PICTURES_FILE).read_text(encoding="utf-8")))


def _check_text(game: Game, language: str, pictures: Sequence[str]) -> None:
    assert game.guide_folder is not None
    path = game.guide_folder / f"{language}.md"
    require(path.is_file(), f"the guide of {game.name} lacks {path.name}: {path}")
    text = path.read_text(encoding="utf-8")
    require(text.strip() != "", f"the guide of {game.name} says nothing in {path}")
    for name in PICTURE_LINE.findall(text):
        known = ", ".join(pictures) or "none"
        require(name in pictures, f"{path} shows picture {name!r}; {PICTURES_FILE} has: {known}")
    for _, part in HEADING.findall(text):
        known = ", ".join(PARTS)
        require(part in ("", *PARTS), f"{path} names a part {{#{part}}}; there are: {known}")


def _check_picture(game: Game, picture: GuidePicture) -> None:
    what = f"picture {picture.name!r} in the guide of {game.name}"
    try:
        if picture.rows:
            _check_rows(game, picture, what)
        else:
            list_plies(game, picture)
    except LudusError as error:
        named = str(error) if picture.name in str(error) else f"{what}: {error}"
        raise AssertionError(named) from None


def _check_rows(game: Game, picture: GuidePicture, what: str) -> None:
    scene = game.scene(game.Options.parse(picture.options))
    known = scene["tokens"][scene["layers"][0]]
    shown = {token for row in picture.rows for token in row.split()} - {"."}
    unknown = sorted(shown - set(known))
    require(not unknown, f"{what} has tokens that the scene does not know: {unknown}")


def _check_words(game: Game, data: dict[str, Any]) -> None:
    """Captions and names are in both languages, and the options of variants exist."""
    for picture in data.get("pictures", ()):
        what = f"the caption of picture {picture.get('name', '')!r} in the guide of {game.name}"
        require_both_languages(picture["caption"], what)
    for number, variant in enumerate(data.get("variants", ()), 1):
        what = f"variant {number} in the guide of {game.name}"
        for key in ("title", "about"):
            require_both_languages(variant[key], f"the {key} of {what}")
        try:
            game.start(game.Options.parse(variant["options"]), 1)
        except LudusError as error:
            raise AssertionError(f"{what}: {error}") from None
