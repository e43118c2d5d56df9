"""``ludus match``: which of two bots is stronger?"""

from __future__ import annotations

from typing import Any

from ludus.cli.command import command
from ludus.cli.options import make_plan, play_options


@command(
    en="Play a series of bouts with the seats swapped on equal seeds, and estimate"
    " which bot is stronger.",
    zh="进行一系列对局：同样的种子、轮换座位，看谁更强。",
)
@play_options(bouts=20)
def COMMAND(bouts: int, as_json: bool, **given: Any) -> int:
    from ludus.cli import report
    from ludus.cli.live import play_all
    from ludus.cli.session import Session
    from ludus.cli.web import show_on_page

    session = Session.from_plan(make_plan(bouts=bouts, swap=True, **given))
    with show_on_page(session):
        rows = play_all(session, quiet=as_json)
        return report.print_results(session, rows, as_json=as_json, elo=True)
