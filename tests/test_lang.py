"""``Text``: the same words in both languages."""

import copy
import json
import pickle
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
import sqlalchemy as sql

from ludus.games.base import Game, Outcome
from ludus.lang import Text, encode_text, translate
from ludus.scheduling.database import connect

DRAW = Text("draw", "平局")
WORDS = {"en": "draw", "zh": "平局"}


class Holder(msgspec.Struct):
    text: Text


def test_a_text_is_a_mapping_of_its_languages() -> None:
    assert DRAW["en"] == DRAW.en == "draw" and dict(DRAW) == WORDS and {**DRAW} == WORDS
    assert DRAW == WORDS and WORDS == DRAW and DRAW != {"en": "draw"}
    assert len({DRAW, Text("draw", "平局")}) == 1
    assert list(DRAW.items()) == list(WORDS.items())
    with pytest.raises(KeyError):
        DRAW["fr"]
    with pytest.raises(FrozenInstanceError):
        DRAW.en = "other"  # type: ignore[misc]


def test_a_text_is_an_object_in_json_and_comes_back_as_a_text() -> None:
    encoded = msgspec.json.encode(Holder(DRAW))
    assert json.loads(encoded) == {"text": WORDS}
    assert msgspec.json.decode(encoded, type=Holder).text == DRAW
    assert type(msgspec.convert(WORDS, Text)) is Text
    assert type(msgspec.msgpack.decode(msgspec.msgpack.encode(DRAW), type=Text)) is Text
    assert json.loads(json.dumps([DRAW], default=encode_text)) == [WORDS]
    with pytest.raises(TypeError):
        json.dumps(object(), default=encode_text)
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"en": "draw"}', type=Text)


def test_a_text_travels_to_other_processes() -> None:
    assert pickle.loads(pickle.dumps(DRAW)) == copy.deepcopy(DRAW) == DRAW


def test_a_database_keeps_texts(tmp_path: Path) -> None:
    engine = connect(str(tmp_path / "texts.db"))
    table = sql.Table("texts", sql.MetaData(), sql.Column("text", sql.JSON))
    with engine.begin() as connection:
        table.create(connection)
        connection.execute(table.insert(), [{"text": DRAW}, {"text": {"inside": [DRAW]}}])
        found = list(connection.scalars(sql.select(table.c.text)))
    assert found == [WORDS, {"inside": [WORDS]}] and Text.of(found[0]) == DRAW


def test_what_has_one_language_is_read_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_LANG", "zh")
    assert translate(DRAW) == "平局" and translate({"en": "draw"}) == "draw"
    assert Text.of({"en": "draw"}) == Text("draw", "draw")
    assert Text.of({}) == Text("", "") and not Text.of({})
    assert DRAW.map(str.upper) == Text("DRAW", "平局")


class OlderGame(Game):
    """A game as packages wrote them before there was ``Text``."""

    name = "older"
    title: ClassVar[Any] = {"en": "Older", "zh": "旧游戏"}
    seats: ClassVar[Any] = ({"en": "left", "zh": "左"}, "black")
    reasons: ClassVar[Any] = {"full": {"en": "the board is full ({n})", "zh": "棋盘已满（{n}）"}}


def test_a_game_with_plain_dicts_has_texts() -> None:
    game = OlderGame()
    assert [type(each) for each in (game.title, *game.seats, game.reasons["full"])] == [Text] * 4
    assert game.seats[1].zh == "黑方"
    told = game.explain(Outcome((0.5, 0.5), "full", {"n": 64}))
    assert told == Text("the board is full (64)", "棋盘已满（64）")
