"""``ludus contest resume``: continues a contest that has begun."""

from __future__ import annotations

from typing import Any

from ludus.cli.command import command
from ludus.cli.contest.file import open_begun_store, open_contest
from ludus.cli.contest.run import run_contest, run_options


@command(
    en="Continue a contest that was stopped: played bouts count, the rest is played.",
    zh="继续中断的赛事：已进行的有效，其余照常进行。",
)
@run_options
def COMMAND(file: str, **given: Any) -> int:
    contest = open_contest(file)
    open_begun_store(contest).close()
    return run_contest(contest, **given)
