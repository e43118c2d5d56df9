"""``ludus play``: plays bouts between bots, on the seats in the order given."""

from __future__ import annotations

from typing import Any

from ludus.cli.command import command
from ludus.cli.options import make_plan, play_options


@command(
    en="Play bouts between bots, on the seats in the order given.",
    zh="让 AI 对局，座位按给出的顺序。",
)
@play_options(bouts=1)
def COMMAND(bouts: int, as_json: bool, **given: Any) -> int:
    from ludus.cli import report
    from ludus.cli.live import play_all
    from ludus.cli.session import Session
    from ludus.cli.web import show_on_page

    session = Session.from_plan(make_plan(bouts=bouts, swap=False, **given))
    with show_on_page(session):
        rows = play_all(session, quiet=as_json)
        return report.print_results(session, rows, as_json=as_json, elo=False)
