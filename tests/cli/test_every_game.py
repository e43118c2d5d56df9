"""Every command works for every game, and every original's file opens."""

import gzip
import json
import os
import pickle
import resource
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from ludus.games import get, names
from tests.support.cli import Ludus

GOLDEN = Path(__file__).parents[1] / "golden"
SHORT = {name: [f"{key}={value}" for key, value in get(name).odd[0].items()] for name in names()}
STRONGEST = {
    "ataxx": "strong",
    "duel2048": "strong",
    "eraser": "two_ply",
    "paperio": "hunter",
    "reversi": "strong",
    "tablut": "alphabeta",
}


def short(name: str) -> list[str]:
    return [word for setting in SHORT[name] for word in ("-o", setting)]


def test_every_game_has_its_strongest_bot_named_here() -> None:
    assert sorted(STRONGEST) == names()
    assert all(bot in get(name).bots() for name, bot in STRONGEST.items())


@pytest.mark.parametrize("name", names())
def test_a_bout_is_played_saved_shown_verified_and_counted(
    cli: Ludus, tmp_path: Path, name: str
) -> None:
    bots = [STRONGEST[name], "random"]
    played = cli("play", name, *bots, *short(name), "--time", "2", "--save", tmp_path)
    assert played.code == 0, played.err
    (record,) = tmp_path.glob("*.ludus")
    for command in ("show", "verify", "stats"):
        ran = cli("replay", command, record)
        assert ran.code == 0, ran.err
        assert ran.out


@pytest.mark.parametrize("name", names())
def test_a_match_in_processes_of_their_own(cli: Ludus, name: str) -> None:
    ran = cli("match", name, "random", "random", "--bouts", "2", "--isolate", *short(name))
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_new_bot_in_every_dialect_is_usable(
    cli: Ludus, tmp_path: Path, name: str, lang: str
) -> None:
    for dialect in ("native", *get(name).dialects):
        bot = tmp_path / f"{name}_{dialect}.py"
        made = cli("new", "bot", bot, "--game", name, "--dialect", dialect, "--lang", lang)
        assert made.code == 0, made.err
        ran = cli("play", name, bot, "random", *short(name), "--json")
        assert ran.code == 0, ran.err
        assert '"verdict": "rules"' in ran.out or '"verdict":"rules"' in ran.out


def test_a_bot_of_another_game_is_checked(cli: Ludus) -> None:
    bot = get("reversi").bots()["greedy"]
    assert cli("check", bot, "--game", "reversi").code == 0


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One file of each kind that an original wrote, as the original wrote it."""
    folder = tmp_path_factory.mktemp("originals")
    from ludus.compat.formats import FORMATS
    from ludus.match.referee import play
    from tests.support.scripted_player import Scripted

    replay = folder / "replay.json"
    packed = GOLDEN / "eraser/replays/ko_killer_vs_rand.json.gz"
    replay.write_bytes(gzip.decompress(packed.read_bytes()))
    found = {".txt": GOLDEN / "duel2048/records/normal_40_rounds.txt", ".json": replay}
    paperio = get("paperio")
    record = play(paperio, paperio.Options(k=12, h=25, turns=20), 3, [Scripted("a"), Scripted("b")])
    for format in FORMATS:
        if format.game == "paperio":
            found[format.suffix] = folder / f"bout{format.suffix}"
            found[format.suffix].write_bytes(format.write(record))
    return found


@pytest.mark.parametrize("suffix", [".txt", ".json", ".zlog", ".clog"])
def test_an_originals_file_opens_and_converts_without_naming_its_game(
    cli: Ludus, tmp_path: Path, originals: dict[str, Path], suffix: str
) -> None:
    file = originals[suffix]
    shown = cli("replay", "show", file)
    assert shown.code == 0, shown.err
    assert cli("replay", "verify", file).code == 0
    there, back = tmp_path / "there.ludus", tmp_path / f"back{suffix}"
    assert cli("replay", "convert", file, there).code == 0
    assert cli("replay", "convert", there, back).code == 0
    if suffix == ".txt":
        assert back.read_bytes() == file.read_bytes()
    again = cli("replay", "show", back)
    assert again.out.splitlines()[-1] == shown.out.splitlines()[-1]


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch /tmp/ludus-was-here",)


def flood(megabytes: int, wbits: int = zlib.MAX_WBITS) -> bytes:
    """A small stream of many zeros: after its first piece the same one again and again."""
    pressed = zlib.compressobj(1, wbits=wbits)
    first, again = (
        pressed.compress(bytes(1 << 24)) + pressed.flush(zlib.Z_FULL_FLUSH) for _ in range(2)
    )
    return first + again * (megabytes // 16 - 1) + pressed.flush()


Files = dict[str, Path]
BROKEN: dict[str, Callable[[Files], bytes]] = {
    "cut off .txt": lambda files: half(files[".txt"]),
    "cut off .json": lambda files: half(files[".json"]),
    "cut off .zlog": lambda files: half(files[".zlog"]),
    "cut off .clog": lambda files: half(files[".clog"]),
    "edited .txt": lambda files: files[".txt"].read_bytes().replace(b"+01", b"+02", 1),
    "edited .json": lambda files: (
        files[".json"].read_bytes().replace(b'"length": ', b'"length": 9')
    ),
    "hostile pickle": lambda _: zlib.compress(pickle.dumps({"players": Bomb()})),
    "bomb of 2 GB": lambda _: flood(2048),
    "gzip bomb": lambda _: flood(208, wbits=31),
    "wrong version": lambda _: zlib.compress(b"\x80\x09" + pickle.dumps({"players": ()})[2:]),
    "text of no kind": lambda _: b"hello",
    "json of no kind": lambda _: b'{"totalFrames": 3}',
    "nothing": lambda _: b"",
}


def half(path: Path) -> bytes:
    return path.read_bytes()[: path.stat().st_size // 2]


@pytest.mark.parametrize("kind", BROKEN)
def test_a_malformed_file_is_refused_in_one_sentence_within_256_megabytes(
    tmp_path: Path, originals: dict[str, Path], kind: str
) -> None:
    file = tmp_path / "file"
    file.write_bytes(BROKEN[kind](originals))

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (256 << 20, 256 << 20))

    env = {**os.environ, "LUDUS_LANG": "en", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "ludus", "replay", "show", str(file)],
        capture_output=True, text=True, env=env, timeout=120, preexec_fn=limit,
    )  # fmt: skip
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.startswith("ludus: ") and done.stderr.count("\n") <= 3
    assert "Traceback" not in done.stderr
    assert not Path("/tmp/ludus-was-here").exists()


@pytest.mark.parametrize("name", names())
def test_sequences_are_counted(cli: Ludus, name: str) -> None:
    ran = cli("perft", name, "--depth", "2")
    assert ran.code == 0
    assert ran.out.startswith("perft(1) = ")
    counts = json.loads(cli("perft", name, "--depth", "2", "--json").out)["perft"]
    assert [f"perft({each['depth']}) = {each['count']}" for each in counts] == [
        line.split("   ")[0] for line in ran.out.splitlines()
    ]
