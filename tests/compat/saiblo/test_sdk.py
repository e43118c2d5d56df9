"""The kits for logics and AIs, in Python and C++: the same promises in every protocol version."""

import json
import os
import pty
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ludus.compat.saiblo.command import find_typed_program
from ludus.compat.saiblo.report import JudgerReport
from ludus.compat.saiblo.run import judge_match
from ludus.compat.saiblo.sdk import logic
from ludus.compat.saiblo.settings import JudgerSettings
from ludus.compat.saiblo.versions import VERSIONS
from ludus.sandbox import Program
from tests.support.languages import need

LOGICS = {
    "python": """
from ludus.compat.saiblo.sdk.logic import Table, run

def shown(answers):
    return {str(seat): answer.trouble or answer.text for seat, answer in answers.items()}

def play(table):
    print("printed")
    table.limit(seconds=1.0, length=20)
    first = table.ask({0: "one\\n", 1: "one\\n"})
    table.tell(0, "psst\\n")
    second = table.ask({0: "two\\n"}, again=True)
    third = table.ask({0: "three\\n", 1: "three\\n"})
    table.watch("seen")
    table.save([shown(first), shown(second), shown(third), sorted(table.people)])
    return [1, 0.5]

run(play)
""",
    "cpp": """
#include <saiblo/logic.hpp>
#include <cstdio>

saiblo::Json shown(const std::map<int, saiblo::Answer>& answers) {
    saiblo::Json::Object found;
    for (const auto& [seat, answer] : answers) {
        found[std::to_string(seat)] = answer.trouble.empty() ? answer.text : answer.trouble;
    }
    return found;
}

std::vector<double> play(saiblo::Table& table) {
    std::printf("printed\\n");
    std::fflush(stdout);
    table.limit(1.0);
    table.limit_length(20);
    auto first = table.ask({{0, "one\\n"}, {1, "one\\n"}});
    table.tell(0, "psst\\n");
    auto second = table.ask({{0, "two\\n"}}, true);
    auto third = table.ask({{0, "three\\n"}, {1, "three\\n"}});
    table.watch("seen");
    saiblo::Json::List people(table.people.begin(), table.people.end());
    table.save(saiblo::Json(saiblo::Json::List{shown(first), shown(second), shown(third), people})
                   .dump());
    return {1, 0.5};
}

int main() { return saiblo::run(play); }
""",
}
AIS = {
    "python": """
import sys, time
from ludus.compat.saiblo.sdk.ai import Judger

judger = Judger()
print("printed")
while line := judger.line():
    if line != "psst\\n":
        if sys.argv[1] == "RE":
            sys.exit(3)
        if sys.argv[1] == "TLE":
            time.sleep(60)
        if sys.argv[1] == "OLE":
            line *= 20
        judger.answer(f"<{line.strip()}>")
""",
    "cpp": """
#include <saiblo/ai.hpp>
#include <chrono>
#include <thread>

int main(int, char** words) {
    const std::string deed = words[1];
    saiblo::Judger judger;
    std::cout << "printed" << std::endl;
    std::string line;
    while (judger.line(line)) {
        if (line == "psst") continue;
        if (deed == "RE") return 3;
        if (deed == "TLE") std::this_thread::sleep_for(std::chrono::seconds(60));
        if (deed == "OLE") line += std::string(100, '!');
        judger.answer("<" + line + ">");
    }
}
""",
}
SDK = Path(logic.__file__).parent
SUFFIX = {"python": "py", "cpp": "cpp"}


@pytest.fixture(autouse=True, scope="module")
def home(
    tmp_path_factory: pytest.TempPathFactory, shared_builds: None, hasty_compilers: None
) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def written(folder: Path, name: str, language: str, code: str) -> Program:
    need(language)
    path = folder / f"{name}.{SUFFIX[language]}"
    path.write_text(code)
    program = find_typed_program(path.name, folder)
    assert program is not None
    return program


def players(folder: Path, language: str, *deeds: str) -> list[Program]:
    """AIs that do what they are told to do: nothing but answer (OK), or get into trouble."""
    ai = written(folder, "ai", language, AIS[language])
    return [replace(ai, argv=(*ai.argv, deed)) for deed in deeds]


def meet(folder: Path, logic: str, ai: str, trouble: str, version: str) -> tuple[JudgerReport, Any]:
    """Seat 0 behaves, seat 1 does what it is told to do."""
    path = folder / "replay.json"
    terms = JudgerSettings(version=VERSIONS[version])
    table = written(folder, "logic", logic, LOGICS[logic])
    report = judge_match(table, players(folder, ai, "OK", trouble), str(path), terms)
    assert report.ended, report
    return report, json.loads(path.read_text())


# What the two kits write is the same in every version: they meet in one.
@pytest.mark.parametrize(
    ("ai", "logic", "version"),
    [
        *((kit, kit, version) for kit in LOGICS for version in VERSIONS),
        ("python", "cpp", "v2"),
        ("cpp", "python", "v1"),
    ],
)
def test_a_match_is_played(ai: str, logic: str, version: str, tmp_path: Path) -> None:
    report, said = meet(tmp_path, logic, ai, "OK", version)
    assert said == [
        {"0": "<one>", "1": "<one>"},
        {"0": "<two>"},
        {"0": "<three>", "1": "<three>"},
        [],
    ]
    assert report.scores == [1, 0.5]
    assert [seat.verdict for seat in report.seats] == ["OK", "OK"]
    assert report.rounds == 2
    assert "printed" in report.logic_stderr
    assert all("printed" in seat.stderr for seat in report.seats)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("trouble", ["RE", "TLE", "OLE"])
@pytest.mark.parametrize("kit", LOGICS)
def test_trouble_is_told_of_the_seat_that_has_it(
    kit: str, trouble: str, version: str, tmp_path: Path
) -> None:
    report, said = meet(tmp_path, kit, kit, trouble, version)
    silent = trouble == "OLE" and version != "v2"  # such answers are just lost there
    told = "TLE" if silent else trouble
    assert said[:3] == [
        {"0": "<one>", "1": told},
        {"0": "<two>"},
        {"0": "<three>", "1": told},
    ]
    assert [seat.verdict for seat in report.seats] == ["OK", told]


@pytest.mark.parametrize("kit", LOGICS)
def test_a_logic_that_fails_says_so(kit: str, tmp_path: Path) -> None:
    """It has scores for two of three."""
    logic = written(tmp_path, "logic", kit, LOGICS[kit])
    three = players(tmp_path, kit, "OK", "OK", "OK")
    report = judge_match(logic, three, str(tmp_path / "replay.json"), JudgerSettings())
    assert report.reason == "logic_run_error"
    assert "score" in report.logic_stderr


@pytest.mark.parametrize("module", ["logic", "ai"])
def test_a_person_who_starts_a_program_is_told_what_it_is(module: str) -> None:
    outer, inner = pty.openpty()
    code = f"from ludus.compat.saiblo.sdk import {module}; {module}.run(None)"
    done = subprocess.run(
        [sys.executable, "-c", code], stdin=inner, capture_output=True, text=True, timeout=60
    )
    for fd in (outer, inner):
        os.close(fd)
    assert done.returncode == 1
    assert "ludus judge" in done.stderr and "裁判" in done.stderr


def test_the_python_kit_works_where_there_is_no_ludus(tmp_path: Path) -> None:
    """Copied beside the programs, run by whatever Python the system has."""
    shutil.copytree(SDK, tmp_path / "sdk")
    logic = (
        "from sdk.bout import Bout\nfrom sdk.logic import run\n"
        "def play(table):\n"
        "    bout = Bout(table, 'copied', ['first', 'second'])\n"
        "    moves = [bout.turn(seat, ['a', 'b'], {}).text for seat in table.seats]\n"
        "    table.save(moves)\n"
        "    return [1, 0]\n"
        "run(play)\n"
    )
    ai = (
        "from sdk.ai import run\n"
        "class Last:\n"
        "    def move(self, turn): return turn.legal[-1]\n"
        "run(Last())\n"
    )
    (tmp_path / "logic.py").write_text(logic)
    (tmp_path / "ai.py").write_text(ai)
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable
    programs = [find_typed_program(f"{python}+{name}", tmp_path) for name in ("logic.py", "ai.py")]
    report = judge_match(
        programs[0], [programs[1]] * 2, str(tmp_path / "replay.json"), JudgerSettings()
    )
    assert report.ended, report
    assert json.loads((tmp_path / "replay.json").read_text()) == ["b", "b"]
