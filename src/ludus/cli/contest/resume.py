"""``ludus contest resume``: goes on with a contest that has begun."""

from __future__ import annotations

from typing import Any

from ludus.cli.command import command
from ludus.cli.contest.file import begun, contest_of
from ludus.cli.contest.run import of_running, play


@command(
    en="Go on with a contest that was stopped: what was played counts, the rest is played.",
    zh="继续中断的赛事：已进行的有效，其余照常进行。",
)
@of_running
def COMMAND(file: str, **given: Any) -> int:
    contest = contest_of(file)
    begun(contest).close()
    return play(contest, **given)
