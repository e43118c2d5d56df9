"""Log records: where they go, how they look, and that nothing can forge one."""

import ast
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ludus
from ludus import logs

SOURCE = Path(ludus.__file__).parent
EVIL = 'x\n{"level": "error", "message": "forged"}\r\x1b]0;title\x07\u2028\u202e\udc80'
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\ud800-\udfff]")
OUTPUT_OF_COMMANDS = {"cli", "compat", "learn"}
"""Rooms whose modules are programs that people run: what they print is what was asked for."""
OUTPUT_OF_BOTS = {"sandbox/exec_program.py", "bots/runner.py"}
"""Inside a jail stderr is the bot's own, kept for its author."""
OUTPUT_FOR_PEOPLE = {"server/embedded.py"}
"""Says to whoever started a match where to watch it."""


@pytest.fixture
def stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[[], str]]:
    """What has been written to stderr since the last call; loggers are as before afterwards."""
    monkeypatch.delenv(logs.LEVEL_VARIABLE, raising=False)
    monkeypatch.delenv(logs.FORMAT_VARIABLE, raising=False)
    loggers = [logging.getLogger(name) for name in logs.LOGGER_NAMES]
    before = [(each.handlers, each.level, each.propagate) for each in loggers]
    yield lambda: capsys.readouterr().err
    for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
        logger.handlers, logger.propagate = handlers, propagate
        logger.setLevel(level)


def log_failure(name: str) -> None:
    try:
        raise ValueError(name)
    except ValueError:
        logging.getLogger("ludus.some.module").exception("bot %s failed", name)


def test_a_record_of_a_server_is_one_line_of_json_whatever_it_holds(
    stderr: Callable[[], str],
) -> None:
    logs.configure("background", format=logs.JSON_FORMAT)
    log_failure(EVIL)
    [line] = stderr().splitlines()
    record = json.loads(line)
    assert record["message"] == f"bot {EVIL} failed" and "ValueError" in record["trace"]
    assert record["process"] == "background" and record["logger"] == "ludus.some.module"
    assert record["level"] == "error" and re.fullmatch(r"[-\d]+T[:\d]+Z", record["at"])
    assert not STEERING.search(line)


def test_a_record_on_a_terminal_is_plain_and_nothing_in_it_looks_like_another(
    stderr: Callable[[], str],
) -> None:
    logs.configure("ludus")
    log_failure(EVIL)
    told = stderr()
    first, *rest = told.split("\n")[:-1]
    assert first == "ludus: error: bot x" and all(line.startswith("| ") for line in rest)
    assert any("ValueError" in line for line in rest)
    assert not STEERING.search(told.replace("\n", ""))


def test_a_command_is_quiet_but_for_warnings_unless_told_otherwise(
    stderr: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = logging.getLogger("ludus.some.module")
    logs.configure("ludus")
    log.info("contest 3 is being played")
    assert stderr() == ""
    monkeypatch.setenv(logs.LEVEL_VARIABLE, "info")
    logs.configure("ludus")
    log.info("contest 3 is being played")
    assert stderr() == "ludus: info: contest 3 is being played\n"


def test_the_processes_of_a_server_log_as_it_does(
    stderr: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "log_uncaught_exceptions", lambda: None)
    monkeypatch.setenv(logs.LEVEL_VARIABLE, "")
    monkeypatch.setenv(logs.FORMAT_VARIABLE, "")
    monkeypatch.delenv(logs.FORMAT_VARIABLE)
    logs.configure_server("web", "debug")
    logs.configure("worker")
    logging.getLogger("ludus.some.module").debug("a jail was started")
    assert json.loads(stderr())["process"] == "worker"


def test_the_background_process_logs_under_its_name(tmp_path: Path) -> None:
    given = {"database": str(tmp_path / "arena.db"), "folder": str(tmp_path), "jobs": 1}
    told = subprocess.run(
        [sys.executable, "-m", "ludus.server.background"],
        input=json.dumps({**given, "cluster": None}) + "\nstop\n",
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, logs.LEVEL_VARIABLE: "info", logs.FORMAT_VARIABLE: "json"},
    )
    records = [json.loads(line) for line in told.stderr.splitlines()]
    assert {record["process"] for record in records} == {"background"}
    assert any("checks and plays, 1 at once" in record["message"] for record in records)


# The sources


def calls(path: Path) -> Iterator[tuple[ast.Call, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            yield node, ast.unparse(node.func)


def test_nothing_but_programs_prints_to_stderr() -> None:
    found = []
    for path in SOURCE.rglob("*.py"):
        name = path.relative_to(SOURCE).as_posix()
        room = name.partition("/")[0]
        if room in OUTPUT_OF_COMMANDS or name in OUTPUT_OF_BOTS | OUTPUT_FOR_PEOPLE:
            continue
        for node, function in calls(path):
            to_stderr = any(ast.unparse(each.value) == "sys.stderr" for each in node.keywords)
            if function.startswith(("traceback.print", "sys.stderr.write", "warnings.warn")):
                to_stderr = True
            if to_stderr:
                found.append(f"{name}:{node.lineno}: {function}")
    assert found == []


def test_every_logger_is_named_after_its_module() -> None:
    named = 0
    for path in SOURCE.rglob("*.py"):
        for node, function in calls(path):
            if function == "logging.getLogger" and path.name != "logs.py":
                name = "__package__" if path.name == "__main__.py" else "__name__"
                assert ast.unparse(node.args[0]) == name, f"{path}:{node.lineno}"
                named += 1
    assert named > 10
