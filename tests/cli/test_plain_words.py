"""Sentences for people, where a program's own words or a traceback used to be."""

import io
import json
from email.message import Message
from urllib.error import HTTPError

import msgspec
import pytest

from ludus.cli.main import run
from ludus.cli.remote.http_client import _make_error
from ludus.errors import LudusError
from ludus.match.replay import verify
from tests.support.bouts import bout


def test_a_game_without_legal_moves_has_no_playthrough(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_LANG", "en")
    assert run(["playthrough", "uno", "--seed", "3"]) == 2
    said = capsys.readouterr().err
    assert "which moves are legal" in said and "Traceback" not in said


def test_a_record_with_other_scores_is_refused_in_words() -> None:
    found = bout()
    lie = msgspec.structs.replace(found, scores=found.scores[::-1], seal="").with_checksum()
    with pytest.raises(LudusError) as refused:
        verify(lie)
    for text in refused.value.text.values():
        assert "Outcome(" not in text and "mappingproxy" not in text
        assert " : ".join(f"{score:g}" for score in found.scores) in text


def test_a_servers_error_stays_in_one_line() -> None:
    words = {"en": "no\nludus: all is well", "zh": "不\n好"}
    body = io.BytesIO(json.dumps({"error": words}).encode())
    said = _make_error(HTTPError("http://localhost", 400, "", Message(), body))
    assert said.text == {"en": "no\\nludus: all is well", "zh": "不\\n好"}


def test_the_help_says_who_sees_a_token_on_the_command_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for language, word in (("en", "processes"), ("zh", "进程")):
        monkeypatch.setenv("LUDUS_LANG", language)
        assert run(["remote", "login", "--help"]) == 0
        assert word in capsys.readouterr().out.replace("\n", "")
