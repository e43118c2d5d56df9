"""Whole bouts of models that answer well, badly, slowly and not at all."""

import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.cli.main import run
from ludus.games import Clock, get
from ludus.games.registry import names
from ludus.match import record as records
from ludus.match import replay
from ludus.match.record import Record
from ludus.match.series import PlannedBout, SeriesBout, play_bouts
from ludus.server.live.film import describe_end
from tests.support.frames import first_legal
from tests.support.llm_server import Answered, Asked, Behaviour, LlmServer, say, serve_model
from tests.support.note_readers import read_as_owner

GAME = get("reversi")
SMALL = GAME.Options(size=4)
KEY, MARKER = "sk-planted-key-0123456789", "PLANTED-MARKER-OF-THE-PROMPT"
SHORT = {
    "duel2048": {"rounds": 3},
    "eraser": {"turns": 4},
    "paperio": {"k": 9, "h": 11, "turns": 6},
    "tablut": {"variant": "brandubh", "limit": 8},
    "ataxx": {"size": 4, "limit": 12},
    "reversi": {"size": 4},
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("LUDUS_HOME", str(home))
    monkeypatch.setenv("LUDUS_LANG", "en")
    monkeypatch.setenv("PLANTED_KEY", KEY)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return home


@pytest.fixture
def serve(home: Path) -> Iterator["Serve"]:
    with Serve(home) as serving:
        yield serving


class Serve:
    """Starts a server and configures it as ``llm:m``."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __enter__(self) -> "Serve":
        return self

    def __exit__(self, *_: object) -> None:
        if hasattr(self, "context"):
            self.context.__exit__(None, None, None)

    def __call__(self, behave: Behaviour, **more: object) -> LlmServer:
        self.context = serve_model(behave)
        server = self.context.__enter__()
        facts = {
            "address": server.address,
            "model": "tiny",
            "key_variable": "PLANTED_KEY",
            "system": f"{MARKER} Play well.",
            "backoff": 0.01,
            "price_in": 2.0,
            "price_out": 10.0,
            "currency": "USD",
            **more,
        }
        lines = [f"{name} = {json.dumps(value)}" for name, value in facts.items()]
        (self.home / "llm.toml").write_text("[m]\n" + "\n".join(lines) + "\n")
        return server


def bout(game: str = "reversi", options: object = SMALL, clock: Clock | None = None) -> SeriesBout:
    rules = get(game)
    players = [create_player(resolve_bot(bot, rules), rules) for bot in ("llm:m", "random")]
    (played,) = play_bouts(rules, options, players, [PlannedBout(0, 3, (0, 1))], clock=clock)
    return played


def first(asked: Asked, number: int) -> Answered:
    return say(f"MOVE: {asked.legal[0]}")


def check_no_secret(record: Record, *texts: str) -> None:
    for text in (records.pack(record), json.dumps(record.without_times()).encode(), *texts):
        data = text if isinstance(text, bytes) else text.encode()
        assert KEY.encode() not in data and MARKER.encode() not in data
    packed = repr(record)
    assert KEY not in packed and MARKER not in packed


@pytest.mark.parametrize("name", names())
def test_a_model_plays_every_house_game_to_its_end(serve: Serve, name: str) -> None:
    server = serve(first)
    game = get(name)
    played = bout(name, game.Options(**SHORT[name]))
    record = played.record
    assert record.verdict == "rules", record.faults
    replay.verify(record)
    assert record.bots[0].name == "llm:m" and record.bots[0].isolation == "remote"
    assert record.times.usage
    usage, other = record.times.usage
    assert usage is not None and other is None
    assert usage.requests == len(server.asked) > 0 and usage.failures == usage.illegal == 0
    assert (usage.tokens_in, usage.tokens_out) == (100 * usage.requests, 10 * usage.requests)
    assert usage.cost == pytest.approx(usage.requests * 300e-6) and usage.currency == "USD"
    asked = server.asked[0]
    assert asked.path == "/v1/chat/completions" and asked.authorization == f"Bearer {KEY}"
    assert asked.body["model"] == "tiny"
    assert asked.messages[0]["content"].startswith(MARKER)
    assert game.rules_text(game.Options(**SHORT[name])).strip() in asked.messages[0]["content"]
    check_no_secret(record, json.dumps(played.outputs))
    assert describe_end(game, record).usage == record.times.usage
    assert records.unpack(records.pack(record), "it").times.usage == record.times.usage


def test_a_model_is_asked_again_after_an_illegal_answer(serve: Serve) -> None:
    def behave(asked: Asked, number: int) -> Answered:
        if number % 2 == 0:
            return say(f"{MARKER} {KEY} I play Z9!")
        return say(f"Let me think about the corner…\n**Move: {asked.legal[-1].upper()}.**")

    server = serve(behave)
    played = bout()
    record = played.record
    assert record.verdict == "rules" and record.times.usage and record.times.usage[0]
    usage = record.times.usage[0]
    assert usage.illegal == usage.requests / 2 == len(server.asked) / 2
    assert [message["role"] for message in server.asked[1].messages] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    check_no_secret(record)
    note = read_as_owner(played).notes[0].note.text
    assert note.startswith(f"{MARKER} {KEY} I play Z9!\nLet me think about the corner…\n")
    assert note not in str(played.outputs) and not played.seat_notes(1)


def test_a_busy_server_is_asked_again_later(serve: Serve) -> None:
    def behave(asked: Asked, number: int) -> Answered:
        if number == 0:
            return Answered(429, headers={"Retry-After": "0"})
        if number == 1:
            return Answered(503, KEY.encode())
        if number == 2:
            return Answered(200, b'{"choices": [')
        return first(asked, number)

    serve(behave)
    record = bout().record
    assert record.verdict == "rules" and record.times.usage and record.times.usage[0]
    assert record.times.usage[0].failures == 3
    check_no_secret(record)


@pytest.mark.parametrize(
    ("answer", "more", "verdict", "says"),
    [
        (say(f"{MARKER}: I would rather not."), {"retries": 2}, "illegal", "none of its 3 answers"),
        (say(""), {"retries": 0}, "illegal", "none of its 1 answers"),
        (Answered(401, f"wrong key {KEY}".encode()), {}, "load", "HTTP 401 Unauthorized"),
        (Answered(404), {}, "load", "HTTP 404"),
        (Answered(302, headers={"Location": "/other"}), {}, "load", "HTTP 302"),
        (Answered(429), {"attempts": 2}, "crash", "HTTP 429 Too Many Requests, after 2 attempts"),
        (Answered(500, MARKER.encode()), {"attempts": 2}, "crash", "HTTP 500"),
        (Answered(200, b"<html>" + KEY.encode()), {"attempts": 2}, "output", "not a chat"),
        (Answered(200, b'{"choices": []}'), {"attempts": 1}, "output", "not a chat"),
        (Answered(200, b"[" * 100_000), {"attempts": 1}, "output", "not a chat"),
        (Answered(200, b"x" * (5 << 20)), {"attempts": 1}, "output", "longer than 4 MB"),
        (Answered(delay=2), {"timeout": 0.1, "attempts": 2}, "timeout", "no answer came within"),
    ],
)
def test_a_model_that_does_not_answer_loses_with_a_verdict(
    serve: Serve, answer: Answered, more: dict[str, object], verdict: str, says: str
) -> None:
    server = serve(lambda asked, number: answer, **more)
    record = bout().record
    (fault,) = record.faults
    assert (fault.kind, fault.seat, record.scores) == (verdict, 0, [0.0, 1.0])
    assert says in fault.why["en"] and fault.trace == ""
    replay.verify(record)
    assert len(server.asked) == (
        int(str(more.get("retries"))) + 1 if verdict == "illegal" else more.get("attempts", 1)
    )
    check_no_secret(record)


@pytest.mark.parametrize("measure", ["cpu", "wall"])
def test_a_slow_model_runs_out_of_time(serve: Serve, measure: str) -> None:
    """On a CPU clock waiting counts, of which a bout allows ``patience`` times its time."""
    serve(lambda asked, number: Answered(delay=3), attempts=20)
    clock = Clock(budget=0.3, patience=1, measure="cpu" if measure == "cpu" else "wall")
    record = bout(clock=clock).record
    assert record.verdict == "timeout"
    assert record.times.used[0][0] == 0.0 and record.times.used[0][1] < 2.5


def test_a_server_that_is_not_there_is_a_crash(serve: Serve, home: Path) -> None:
    serve(first)
    text = (home / "llm.toml").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("address")]
    (home / "llm.toml").write_text("\n".join([*lines, 'address = "http://127.0.0.1:9/v1"']))
    record = bout().record
    assert (
        record.verdict == "crash" and "127.0.0.1:9 cannot be reached" in record.faults[0].why["en"]
    )


def test_commands_play_and_rate_models_and_show_what_they_used(
    serve: Serve,
    home: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    serve(first)
    small = ["-o", "size=4", "--seed", "1", "--bouts", "2"]
    saved = ["--save", str(tmp_path / "saved"), "--logs", str(tmp_path / "logs")]
    assert run(["match", "reversi", "llm:m", "random", *small, *saved]) == 0
    assert run(["rate", "reversi", "llm:m", "random", *small]) == 0
    assert "llm:m against random" in capfd.readouterr().out
    shown = sorted((tmp_path / "saved").glob("*.ludus"))
    assert len(shown) == 2
    assert run(["replay", "show", str(shown[0])]) == 0
    out, err = capfd.readouterr()
    assert "remote" in out and "requests (0 failed, 0 without a legal move)" in out and "USD" in out
    assert run(["replay", "html", str(shown[0]), "--out", str(tmp_path / "page.html")]) == 0
    assert run(["rate", "reversi", "llm:m", "random", *small, "--json"]) == 0
    texts = [out, err, caplog.text, *capfd.readouterr()]
    for text in texts:
        assert KEY not in text and MARKER not in text
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.name != "llm.toml":
            data = path.read_bytes()
            if path.suffix == ".ludus":
                data += repr(records.read(path)).encode()
            assert KEY.encode() not in data and MARKER.encode() not in data, path


def test_rate_measures_programs_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text(first_legal())
    small = ["-o", "size=4", "--seed", "1", "--bouts", "2", "--trust", "--time", "9"]
    assert run(["rate", "reversi", f"cmd:{sys.executable} {program}", "greedy", *small]) == 0
    assert "against greedy: " in capfd.readouterr().out


def test_a_model_that_cannot_be_reached_ends_the_command_with_a_sentence(
    serve: Serve, capfd: pytest.CaptureFixture[str]
) -> None:
    serve(lambda asked, number: Answered(401, KEY.encode()))
    small = ["-o", "size=6", "--seed", "1", "--bouts", "2"]  # not too small to leave a choice
    for command in ("match", "rate"):
        assert run([command, "reversi", "llm:m", "random", *small]) == 2
        err = capfd.readouterr().err
        assert "llm:m: the server answered HTTP 401 Unauthorized" in err and KEY not in err
