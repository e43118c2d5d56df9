"""``search:N`` and ``learned:FILE`` as bots: by name, in the jail, with and without onnxruntime."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import ludus
from ludus.bots import engine_bots
from ludus.bots.engine_bots import refuse_unsuitable
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot, resolve_house_bot
from ludus.errors import LudusError
from ludus.games import Clock, get
from ludus.games.tablut.rules import set_up
from ludus.learn import onnx_net
from ludus.learn.engine_bots import LEVEL_DESCRIPTIONS, NETS_FOLDER
from ludus.learn.levels import LEVELS, POLICY_LEVELS, find_level
from ludus.learn.search import TreeSearcher
from ludus.learn.trainable_games import ENVIRONMENT_CLASSES, check_trainable
from ludus.match.referee import play
from ludus.sandbox import JailLevel, list_levels
from ludus.scheduling.contest_loading import map_bot_path
from ludus.server.bots.catalogue import BotCatalogue
from ludus.server.game_catalogue import describe
from tests.support.compiled import COMPILED
from tests.support.young_net import young_net

TABLUT = get("tablut")
KING_NEARLY_OUT = (
    "...aaa.......a.....aK......a.a.d...aaa.dd.ddaa...d...a....d........a.......aaa..."
)


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

    class Nim(type(TABLUT)):  # type: ignore[misc]
        name = "nim"

    with pytest.raises(LudusError, match="search:800 plays it without a network"):
        resolve_bot("learned", Nim())


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


def test_levels_are_house_bots_with_words_for_people() -> None:
    assert list(LEVEL_DESCRIPTIONS) == list(LEVELS) == list(POLICY_LEVELS)
    listed = [name for name in engine_bots.engine_paths(TABLUT) if name.startswith("learned")]
    assert listed == ["learned", "learned:normal", "learned:easy"]
    bots = {bot.name: bot.description for bot in describe(TABLUT, BotCatalogue()).bots}
    levels = {"learned:easy": "easy", "learned:normal": "normal", "learned": "hard"}
    assert {name: bots[name] for name in levels} == {
        name: LEVEL_DESCRIPTIONS[level] for name, level in levels.items()
    }
    digests = {resolve_bot(name, TABLUT).digest for name in listed}
    assert len(digests) == 3
    assert resolve_house_bot("learned:easy", TABLUT).name == "learned:easy"
    assert map_bot_path("learned:easy", TABLUT, lambda path: Path("/no") / path) == "learned:easy"
    with pytest.raises(LudusError, match="easy, normal, hard"):
        resolve_bot("learned:brutal", TABLUT)


@pytest.mark.parametrize("isolate", [False, True])
def test_a_level_plays_by_name(isolate: bool) -> None:
    record = bout("learned:easy", "learned:normal", isolate=isolate, limit=8)
    assert record.faults == []


def test_a_variant_without_a_network_is_named() -> None:
    record = bout("learned:easy", "random", isolate=False, variant="brandubh")
    assert "ships no network for this board or variant of tablut" in str(record.faults[0])


@pytest.mark.parametrize("spec", ["learned", "learned:easy", "learned:missing.onnx"])
def test_a_game_that_cannot_be_trained_is_not_sent_to_training(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class OwnGame(type(TABLUT)):  # type: ignore[misc]
        name = "own_game"

    with pytest.raises(LudusError, match="ludus train cannot make one") as caught:
        resolve_bot(spec, OwnGame())
    for told in caught.value.text.values():
        assert "search:800" in told and "Gymnasium" in told
    with pytest.raises(LudusError) as unknown:
        resolve_bot("nothing", OwnGame())
    assert "search" in str(unknown.value) and "learned" not in str(unknown.value)
    monkeypatch.delitem(ENVIRONMENT_CLASSES, "tablut")
    with pytest.raises(LudusError) as refused:
        check_trainable(TABLUT)
    assert "ataxx, duel2048" in refused.value.text.en and "ataxx、duel2048" in refused.value.text.zh


def test_the_network_is_chosen_by_the_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tablut.onnx").write_bytes(young_net(TABLUT, {}, 1, 4))
    small = young_net(TABLUT, {"variant": "brandubh"}, 1, 4)
    (tmp_path / "tablut-brandubh.onnx").write_bytes(small)
    monkeypatch.setattr(onnx_net, "NETS_FOLDER", tmp_path)
    for variant, cells in (("tablut", 81), ("brandubh", 49)):
        position = TABLUT.start(TABLUT.Options(variant=variant), 0)
        net = onnx_net.load_shipped_net(TABLUT, position, onnx_net.OnnxNet)
        assert net.shape[2] * net.shape[3] == cells


@pytest.mark.parametrize("file", sorted(NETS_FOLDER.glob("*.onnx")), ids=lambda file: file.stem)
def test_every_shipped_network_plays_in_the_jail(file: Path) -> None:
    about = onnx_net.load_net(file, onnx_net.OnnxNet).metadata
    game = get(about["game"])
    options = game.Options.parse(about.get("options", {}))
    names = ["learned", "random"]
    players = [create_player(resolve_bot(name, game), game, isolate=True) for name in names]
    try:
        record = play(game, options, 3, players, Clock(budget=2.0))
    finally:
        for player in players:
            player.close()
    assert record.faults == []
    assert record.scores[0] == 1.0
    assert (file.with_suffix(".log.jsonl")).exists()
    assert file.stat().st_size < 5_000_000


@pytest.mark.parametrize("level", ["easy", "normal"])
def test_a_weaker_level_varies_but_never_costs_more_than_its_bound(level: str) -> None:
    style = find_level(level, LEVELS)
    position = TABLUT.start(TABLUT.Options(), 0)
    net = onnx_net.load_shipped_net(TABLUT, position, onnx_net.OnnxNet)
    searcher = TreeSearcher(TABLUT, style, net, seed=5)
    tree = searcher.search(position)
    drawn = {searcher.pick_move(tree) for _ in range(200)}
    values, best = tree.values(), tree.best()
    assert len(drawn) > 1
    assert all(tree.visits()[move] > 0 for move in drawn)
    assert max((values[best] - values[move]) / 2 for move in drawn) <= style.max_loss
    assert style.max_loss < 0.5  # a bout that is even never becomes lost by one move


def test_a_move_that_loses_at_once_is_never_drawn() -> None:
    """The king can go to the edge next: every level stops it, if that is possible."""
    position = set_up(TABLUT.Options(), KING_NEARLY_OUT, 1, 10)
    losing = set()
    for move in position.legal(1):
        after = position.copy()
        after.play({1: move})
        if TABLUT.search_position(after).can_win():
            losing.add(move)
    assert 0 < len(losing) < len(position.legal(1))
    net = onnx_net.load_shipped_net(TABLUT, position, onnx_net.OnnxNet)
    searcher = TreeSearcher(TABLUT, find_level("easy", LEVELS), net, seed=1)
    tree = searcher.search(position)
    assert not losing & {tree.texts()[searcher.pick_move(tree)] for _ in range(300)}


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
            "import ludus.bots.engine_bots as engines",
            "engines.find_spec = lambda name: None",
            "from ludus.games import get",
            "assert set(engines.engine_paths(get('tablut'))) == {'search'}",
            "for ask in (",
            "    lambda: OnnxNet(Path(sys.argv[1])),",
            "    lambda: engines.find_engine_bot('learned:easy', get('tablut')),",
            "):",
            "    try:",
            "        ask()",
            "    except LudusError as error:",
            "        assert \"ludus add 'ludus-arena[nets]'\" in str(error)",
            "    else:",
            "        sys.exit('nothing was said')",
        ]
    )
    subprocess.run([sys.executable, "-c", code, str(network)], check=True)


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


def test_a_network_for_another_board_is_refused_before_a_bout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_LANG", "en")
    reversi = get("reversi")
    net = NETS_FOLDER / "reversi.onnx"
    small, usual = reversi.Options(size=6), reversi.Options()
    refuse_unsuitable(f"learned:{net}", reversi, usual)
    refuse_unsuitable("greedy", reversi, small)
    for name in (f"learned:{net}", "learned", "learned:easy"):
        with pytest.raises(LudusError):
            refuse_unsuitable(name, reversi, small)
    with pytest.raises(LudusError, match="plays reversi 8×8, not this board"):
        ludus.play("reversi", f"learned:{net}", "random", options=small)
