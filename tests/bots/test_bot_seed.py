"""A bot's random numbers: the same again in the same bout, and not to be foretold by its rival."""

import json
import random
from pathlib import Path

import pytest

from ludus.bots.bot_seed import derive_random_seed, load_random_key
from ludus.bots.players.create import create_player
from ludus.bots.players.local import seed_generators
from ludus.bots.resolve import resolve_bot
from ludus.games import get
from ludus.match.record import Record
from ludus.match.series import PlannedBout, play_bouts, series
from ludus.match.spec import MatchSpec, play_match
from tests.support.frames import first_legal

GAME = get("reversi")


def legal_moves(record: Record, seat: int) -> list[tuple[list[str], str]]:
    """What a seat could have played, and what it did play."""
    position = GAME.start(GAME.Options.parse(record.options), record.seed)
    found = []
    for move in record.moves:
        (mover,) = position.to_move
        if mover == seat:
            found.append((position.legal(seat), move))
        position.play({mover: move})
    return found


def foretold(record: Record, seat: int, said: object) -> float:
    """The share of a seat's moves that this beginning of its generator foretells."""
    generator = random.Random(said)  # type: ignore[arg-type]
    hits = [generator.choice(legal) == move for legal, move in legal_moves(record, seat)]
    return sum(hits) / len(hits)


def play_random(seed: int = 7) -> list[Record]:
    players = [
        create_player(resolve_bot(name, GAME), GAME, isolate=True) for name in ("greedy", "random")
    ]
    return [each.record for each in series(GAME, GAME.Options(), players, 2, seed)]


def test_whoever_knows_the_rule_does_not_foretell_the_house_bot() -> None:
    for record, seat in zip(play_random(), (1, 0), strict=True):
        told = [f"{record.seed}/{seat}", record.seed, f"{record.seed}", None]
        told += [derive_random_seed(bytes(32), record.seed, seat, player) for player in (0, 1)]
        told += [derive_random_seed(b"", record.seed, seat, player) for player in (0, 1)]
        for said in told:
            assert foretold(record, seat, said) < 0.7, said
        own = derive_random_seed(load_random_key(), record.seed, seat, 1)
        assert foretold(record, seat, own) == 1.0, "with the key it is foretold: the test can see"


def test_what_one_is_told_on_a_seat_says_nothing_of_who_sits_there_next(tmp_path: Path) -> None:
    """Seats are swapped on the same seed, and a bot's process lives for the whole match."""
    path = tmp_path / "program.py"
    path.write_text(NOTES)
    program = create_player(resolve_bot(f"cmd:python3 {path}", GAME), GAME)
    players = [program, create_player(resolve_bot("random", GAME), GAME)]
    plan = [PlannedBout(0, 7, (0, 1)), PlannedBout(1, 7, (1, 0))]
    played = list(play_bouts(GAME, GAME.Options.parse({"size": 6}), players, plan))
    told = [json.loads(each.outputs[0]["stderr"].splitlines()[0]) for each in played]
    assert [start["seat"] for start in told] == [0, 1]
    assert len({start["random_seed"] for start in told}) == 2
    key = load_random_key()
    rivals = {derive_random_seed(key, 7, seat, 1) for seat in (0, 1)}
    for start in told:
        assert start["random_seed"] not in rivals
        assert key.hex() not in json.dumps(start)
    assert foretold(played[1].record, 0, told[0]["random_seed"]) < 0.7


NOTES = first_legal(
    'if message["type"] == "start": print(json.dumps(message), file=sys.stderr, flush=True)'
)


def test_the_same_bout_is_played_the_same_again() -> None:
    first, again = ([record.moves for record in play_random()] for _ in range(2))
    assert first == again


def test_a_task_draws_the_same_wherever_it_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = tuple(resolve_bot("random", GAME) for _ in range(2))
    spec = MatchSpec("reversi", GAME.version, {"size": 4}, sources, (PlannedBout(0, 5, (0, 1)),))
    here = play_match(spec)[0].record.moves
    monkeypatch.setenv("LUDUS_RANDOM_KEY", "another machine's")
    assert play_match(spec)[0].record.moves == here
    assert spec.random_key not in repr(spec).encode()


def test_the_key_is_made_once_in_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LUDUS_RANDOM_KEY")
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    key = load_random_key()
    assert key == load_random_key() == (tmp_path / "home" / "random.key").read_bytes()
    assert (tmp_path / "home" / "random.key").stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "other"))
    assert load_random_key() != key
    monkeypatch.setenv("LUDUS_HOME", "/proc/nowhere")
    assert len(load_random_key()) == 32 and load_random_key() == load_random_key()


def test_python_and_numpy_begin_with_it() -> None:
    import numpy

    seed = derive_random_seed(bytes(32), 1, 0, 0)
    drawn = []
    for _ in range(2):
        seed_generators(seed)
        drawn.append((random.random(), float(numpy.random.random())))
    seed_generators("")
    assert drawn[0] == drawn[1]
    assert (random.random(), float(numpy.random.random())) != drawn[0]
