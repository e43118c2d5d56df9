"""No escape codes where there is no terminal, and no colours where NO_COLOR is set."""

import re
from pathlib import Path

import pytest

from tests.support.cli import Ludus
from tests.support.processes import terminal

SMALL = ("-o", "size=4", "--seed", "1")
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3\d|4\d|9\d|10\d)(?:;\d+)*m")


def test_what_is_not_shown_on_a_terminal_has_no_escape_codes(
    cli: Ludus, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "xterm-256color")
    said = [
        cli(*words)
        for words in (
            ("games",),
            ("bots", "reversi"),
            ("match", "reversi", "greedy", "random", "--bouts", "2", *SMALL),
            ("contest", "new", "reversi", "greedy", "random", *SMALL),
            ("contest", "run", "--jobs", "1"),
            ("contest", "status"),
            ("replay", "show"),
            ("replay", "stats", *map(str, sorted((home / "records").glob("*.ludus"))[:1])),
            ("matchup", "greedy", "random"),
            ("doctor",),
            ("no-such-command",),
        )
    ]
    assert [ran.code for ran in said] == [0] * 10 + [2], said
    assert [ran for ran in said if "\x1b" in ran.out + ran.err] == []


@pytest.mark.parametrize("asked", [True, False])
def test_no_color_is_respected_on_a_terminal(
    home: Path, monkeypatch: pytest.MonkeyPatch, asked: bool
) -> None:
    if asked:
        monkeypatch.setenv("NO_COLOR", "1")
    with terminal("match", "reversi", "greedy", "random", "--bouts", "2", *SMALL) as screen:
        seen = screen.read(until="records saved")
    assert bool(COLOUR.search(seen)) is not asked
