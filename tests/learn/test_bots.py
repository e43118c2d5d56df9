"""``search:N`` and ``learned:FILE`` as bots: by name, in the jail, with and without onnxruntime."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ludus.bots import engine_bots
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.errors import LudusError
from ludus.games import Clock, get
from ludus.learn.engine_bots import NETS_FOLDER
from ludus.match.referee import play
from ludus.sandbox import JailLevel, list_levels
from tests.support.compiled import COMPILED
from tests.support.young_net import young_net

TABLUT = get("tablut")


def bout(*names: str, isolate: bool, clock: Clock | None = None, **options: Any) -> Any:
    players = [create_player(resolve_bot(name, TABLUT), TABLUT, isolate=isolate) for name in names]
    try:
        return play(TABLUT, TABLUT.Options.parse(options), 3, players, clock or Clock(budget=20.0))
    finally:
        for player in players:
            player.close()


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained network of Tablut in a file."""
    path = tmp_path_factory.mktemp("net") / "young.onnx"
    path.write_bytes(young_net(TABLUT, {}, 2, 16))
    return path


@pytest.mark.parametrize("isolate", [False, True])
def test_a_search_plays_by_name(isolate: bool) -> None:
    record = bout("search:50", "random", isolate=isolate, limit=12)
    assert record.faults == []


def test_a_search_without_a_number_is_a_bot_too() -> None:
    assert resolve_bot("search", TABLUT).name == "search"
    assert resolve_bot("search:7", TABLUT).digest != resolve_bot("search:8", TABLUT).digest


@pytest.mark.parametrize("spec", ["search:many", "search:0", "search:-3", "search:1.5"])
def test_a_strange_number_is_refused(spec: str) -> None:
    with pytest.raises(LudusError, match="search:800"):
        resolve_bot(spec, TABLUT)


def test_a_missing_network_is_named() -> None:
    with pytest.raises(LudusError, match=r"nothing\.onnx"):
        resolve_bot("learned:nothing.onnx", TABLUT)
    with pytest.raises(LudusError, match="ludus train eraser"):
        resolve_bot("learned", get("eraser"))


def test_games_of_hidden_positions_are_not_searched() -> None:
    class Hidden(type(TABLUT)):  # type: ignore[misc]
        hidden = True

    with pytest.raises(LudusError, match="no hidden information"):
        resolve_bot("search:10", Hidden())


def test_a_network_plays_within_its_clock(network: Path) -> None:
    record = bout(f"learned:{network}", "random", isolate=False, clock=Clock(budget=2.0), limit=20)
    assert record.faults == []


@pytest.mark.parametrize("level", list(JailLevel))
def test_a_network_plays_in_every_jail(network: Path, level: JailLevel) -> None:
    """It sees its own folder and the package of Ludus, nothing of the folder it came from."""
    if level not in list_levels():
        pytest.skip(f"no jails of level {level} here")
    source = resolve_bot(f"learned:{network}", TABLUT)
    players = [create_player(source, TABLUT, isolate=True, jail=level) for _ in TABLUT.seats]
    try:
        options = TABLUT.Options.parse({"limit": 20})
        record = play(TABLUT, options, 3, players, Clock(budget=2.0 if COMPILED else 10.0))
    finally:
        for player in players:
            player.close()
    assert record.faults == []
    assert len(record.moves) == 20 or record.outcome.reason != "limit"


def test_a_network_that_knows_no_camps_is_refused(network: Path) -> None:
    record = bout(f"learned:{network}", "random", isolate=False, variant="ashton")
    assert "variant of tablut" in str(record.faults[0])


@pytest.mark.parametrize("bot", ["search:20", "alphabeta", "greedy"])
def test_house_bots_play_with_camps(bot: str) -> None:
    record = bout(
        bot, "random", isolate=False, clock=Clock(budget=0.4), variant="ashton", limit="30"
    )
    assert record.faults == []


def test_a_network_of_another_game_is_refused(network: Path) -> None:
    reversi = get("reversi")
    player = create_player(resolve_bot(f"learned:{network}", reversi), reversi, isolate=False)
    record = play(reversi, reversi.Options(), 1, [player, player], Clock(budget=5.0))
    assert record.faults and "tablut" in str(record.faults)


ALONE = """
import sys, time
began = time.perf_counter()
from ludus.games import get
from ludus.games.base import ClockView
from ludus.learn.bots.learned import Bot
game = get("tablut")
bot = Bot(sys.argv[1])
bot.set_game(game)
position = game.start(game.Options(), 0)
bot.start(0, position)
started = time.perf_counter() - began
move = bot.move(position, ClockView((5.0, 5.0), 0, 5.0))
assert move in position.legal(0)
loaded = {name.partition(".")[0] for name in sys.modules}
assert not loaded & {"jax", "jaxlib", "optax", "onnx", "flax", "torch"}, loaded
print(started)
"""


def test_a_network_plays_without_the_learning_libraries_and_starts_at_once(network: Path) -> None:
    def start() -> float:
        done = subprocess.run(
            [sys.executable, "-c", ALONE, str(network)], capture_output=True, text=True, check=True
        )
        return float(done.stdout)

    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import numpy"], check=True)
    unit = time.perf_counter() - began  # how slow this machine is now
    assert min(start() for _ in range(3)) < max(1.0, 5 * unit)


def test_without_onnxruntime_a_sentence_tells_what_to_install(network: Path) -> None:
    code = "\n".join(
        [
            "import sys",
            "sys.modules['onnxruntime'] = None",
            "from pathlib import Path",
            "from ludus.errors import LudusError",
            "from ludus.learn.onnx_net import OnnxNet",
            "try:",
            "    OnnxNet(Path(sys.argv[1]))",
            "except LudusError as error:",
            "    assert 'ludus add onnxruntime' in str(error)",
            "    sys.exit(7)",
        ]
    )
    done = subprocess.run([sys.executable, "-c", code, str(network)])
    assert done.returncode == 7


@pytest.mark.parametrize("name", ["duel2048", "eraser", "reversi"])
def test_a_search_of_any_game_keeps_within_its_clock(name: str) -> None:
    """Rules that are slow to roll out, and far too little time for them."""
    game = get(name)
    players = [
        create_player(resolve_bot(bot, game), game, isolate=False) for bot in ("search", "random")
    ]
    record = play(game, game.Options(), 1, players, Clock(budget=1.0))
    assert record.faults == []


def test_thinkers_are_among_the_house_bots() -> None:
    assert "search" in engine_bots.engine_paths(TABLUT)
    assert ("learned" in engine_bots.engine_paths(TABLUT)) == (
        NETS_FOLDER / "tablut.onnx"
    ).is_file()
