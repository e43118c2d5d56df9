"""The kits themselves: JSON in C++, what is printed, what fails, and who starts them."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

import ludus
from ludus.bots.languages.registry import BY_NAME
from ludus.bots.players.create import create_player
from ludus.bots.resolve import resolve_bot
from ludus.games import get
from ludus.match.series import series
from ludus.sandbox import Limits
from tests.support.languages import need
from tests.support.note_readers import read_as_owner

SDK = Path(ludus.__file__).parent / "sdk"
GAME = get("reversi")
ECHO = """#include <ludus.hpp>
#include <fstream>
#include <sstream>
int main(int count, char** words) {
    for (int i = 1; i < count; ++i) {
        std::ifstream file(words[i]);
        std::stringstream text;
        text << file.rdbuf();
        try {
            std::cerr << ludus::Json::parse(text.str()).dump() << "\\n";
        } catch (const std::exception& error) {
            std::cerr << "! " << error.what() << "\\n";
        }
    }
}
"""
THROWS = {
    "cpp": """#include <ludus.hpp>
struct Thrower : ludus::Bot {
    int asked = 0;
    std::string move(const ludus::Turn& turn) override {
        std::cout << "printed" << std::endl;
        printf("this too\\n");
        if (asked++) throw std::runtime_error("no idea");
        return turn.legal.front();
    }
};
int main() { Thrower bot; return ludus::run(bot); }
""",
    "javascript": """import { run } from "ludus";
run({
  async move(turn) {
    console.log("printed");
    process.stdout.write("this too\\n");
    if (this.asked) throw new RangeError("no idea");
    this.asked = true;
    return turn.legal[0];
  },
});
""",
}
FILES = {"cpp": "thrower.cpp", "javascript": "thrower.mjs"}


DOCS = Path(__file__).parents[2] / "docs"


def shown(page: str, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", (DOCS / page).read_text(), re.S)


@pytest.fixture(autouse=True)
def home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared_builds: None, hasty_compilers: None
) -> None:
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need("cpp")
    folder = tmp_path_factory.mktemp("echo")
    (folder / "echo.cpp").write_text(ECHO)
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-I", SDK / "cpp"]
    command = [BY_NAME["cpp"].toolchain().program, *flags, "echo.cpp", "-o", "echo"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if "ubsan" in done.stderr:
        command.remove("-fsanitize=undefined")
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "echo"


def echoed(echo: Path, folder: Path, texts: list[str]) -> list[str]:
    files = [folder / f"{number}.json" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    done = subprocess.run([echo, *files], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


VALUES = [
    None,
    True,
    False,
    0,
    -1,
    2**53 + 1,
    -(2**63),
    1.5,
    -2.5e-9,
    1e300,
    "",
    'quote " backslash \\ slash /',
    "tab \t line \n null-ish \x01 del \x7f",
    "贰零肆捌 → 😀",
    [],
    {},
    [1, [2, [3, []]], {"a": {"b": [None]}}],
    {"": "", "k": [True, {"x": -0.25}]},
]


def test_the_cpp_kit_reads_and_writes_json(echo: Path, tmp_path: Path) -> None:
    plain = [json.dumps(value, ensure_ascii=False) for value in VALUES]
    escaped = [json.dumps(value, ensure_ascii=True, indent=1) for value in VALUES]
    assert [json.loads(line) for line in echoed(echo, tmp_path, plain + escaped)] == VALUES * 2


def test_the_cpp_kit_refuses_what_is_no_json(echo: Path, tmp_path: Path) -> None:
    broken = [
        "",
        "{",
        "[1,",
        '"open',
        "tru",
        "1 2",
        "{1:2}",
        '{"a" 1}',
        '"\\x"',
        '"\\u12g4"',
        '"\\ud800"',
        "-",
        "nul",
        "[" * 100_000,
        "]",
        "'a'",
    ]
    lines = echoed(echo, tmp_path, broken)
    assert len(lines) == len(broken)
    assert all(line.startswith("! ") for line in lines), lines


def test_the_cpp_kit_is_fine_with_a_newer_standard(tmp_path: Path) -> None:
    """And with C++17, of which the fixture ``echo`` is made."""
    need("cpp")
    (tmp_path / "bot.cpp").write_text(THROWS["cpp"])
    flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    command = [BY_NAME["cpp"].toolchain().program, *flags, "-I", SDK / "cpp", "bot.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("language", THROWS)
def test_printing_harms_nothing_and_an_exception_is_told(language: str, tmp_path: Path) -> None:
    need(language)
    path = tmp_path / FILES[language]
    path.write_text(THROWS[language])
    players = [
        create_player(resolve_bot(str(path), GAME), GAME),
        create_player(resolve_bot("random", GAME), GAME),
    ]
    first, second = series(GAME, GAME.Options(size=6), players, 2, 1)
    fault = first.record.faults[0]
    assert (first.record.verdict, fault.seat) == ("crash", 0)
    assert "no idea" in fault.why["en"] and "no idea" in fault.why["zh"]
    assert "printed\nthis too\n" in first.outputs[0]["stderr"]
    assert second.record.verdict == "crash", "the next bout has a fresh process and fails anew"


@pytest.mark.parametrize("language", THROWS)
def test_a_bot_started_by_a_person_says_what_it_is(language: str, tmp_path: Path) -> None:
    need(language)
    path = tmp_path / FILES[language]
    path.write_text(THROWS[language])
    if language == "cpp":
        command = [
            resolve_bot(str(path), GAME).build_spec.build_program(Limits()).files["/out"] / "bot"
        ]
    else:
        tool = BY_NAME[language].toolchain().program
        (tmp_path / "node_modules").mkdir()
        (tmp_path / "node_modules" / "ludus").symlink_to(SDK / "javascript")
        command = [tool, path]
    ours, theirs = pty.openpty()
    done = subprocess.run(command, stdin=theirs, capture_output=True, text=True, timeout=60)
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 2
    assert "ludus play" in done.stderr and "裁判" in done.stderr


@pytest.mark.parametrize(("kind", "file"), [("cpp", "shown.cpp"), ("js", "shown.mjs")])
def test_the_bots_that_the_docs_show_play(kind: str, file: str, tmp_path: Path) -> None:
    need("cpp" if kind == "cpp" else "javascript")
    (text,) = shown("en/kits.md", kind)
    assert shown("zh/kits.md", kind) == [text]
    path = tmp_path / file
    path.write_text(text)
    players = [
        create_player(resolve_bot(str(path), GAME), GAME),
        create_player(resolve_bot("random", GAME), GAME),
    ]
    for played in series(GAME, GAME.Options(), players, 2, 1):
        assert played.record.verdict == "rules", played.record.faults


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_ludus_toml_that_the_docs_show_is_read(lang: str, tmp_path: Path) -> None:
    from ludus.bots.manifest import read_manifest

    path = tmp_path / "ludus.toml"
    path.write_text("\n".join(shown(f"{lang}/languages.md", "toml")))
    said = read_manifest(path, path)
    assert said.name == "Deep Red" and said.supported_games == ["reversi"]
    assert said.build and said.build.command[0] == "g++"
    assert said.run and said.run.command[0] == "/out/bot"


NOTES = {
    "cpp": """
#include <ludus.hpp>
struct Talker : ludus::Bot {
    int turns = 0;
    std::string move(const ludus::Turn& turn) override {
        if (++turns == 1) note("SAID");
        if (turns == 2) note(std::string(3 << 20, 'x'));
        ludus::Json::List line{"d3"};
        if (turns == 3) note(ludus::Json::Object{{"score", 0.5}, {"line", line}});
        return turn.legal.front();
    }
};
int main() { Talker bot; return ludus::run(bot); }
""",
    "javascript": """
import { run } from "ludus";
let turns = 0;
run({
  move(turn) {
    turns++;
    if (turns === 1) turn.note("SAID");
    if (turns === 2) turn.note("x".repeat(3 << 20));
    if (turns === 3) turn.note({ score: 0.5, line: ["d3"] });
    return turn.legal[0];
  },
});
""",
}


@pytest.mark.parametrize("language", NOTES)
def test_a_bot_of_a_kit_says_what_it_thinks(language: str, tmp_path: Path) -> None:
    need(language)
    path = tmp_path / f"talker{Path(FILES[language]).suffix}"
    path.write_text(NOTES[language])
    players = [create_player(resolve_bot(bot, GAME), GAME) for bot in (str(path), "random")]
    (played,) = series(GAME, GAME.Options(size=6), players, 1, 1)
    assert played.record.verdict == "rules", played.record.faults
    first, long, last = (each.note for each in read_as_owner(played).notes)
    assert first.text == "SAID" and not played.seat_notes(1)
    assert long.text == "x" * 1024 and "longer than 1024 bytes" in long.problems[0]["en"]
    assert (last.score, last.line) == (0.5, ["d3"])
