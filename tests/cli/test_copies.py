"""Two programs that always do the same: their bouts are told apart from evidence."""

from __future__ import annotations

import json

import pytest

from ludus.cli.sprt import MAX_COPIES_IN_A_ROW
from tests.support.cli import LEGAL, Ludus, WriteBot

LAST = LEGAL.replace("[0]", "[-1]")
TINY = ("-o", "size=4", "--seed", "3", "--openings", "none")


@pytest.fixture
def pair(bot: WriteBot) -> tuple[str, str]:
    return str(bot(LEGAL, "first.py")), str(bot(LAST, "last.py"))


def test_a_match_of_deterministic_bots_has_two_bouts_that_count(
    cli: Ludus, pair: tuple[str, str]
) -> None:
    def ask(bouts: int, *more: str) -> str:
        return cli("match", "reversi", *pair, "--bouts", bouts, *TINY, *more).out

    two, many = json.loads(ask(2, "--json")), json.loads(ask(20, "--json"))
    assert two["summary"]["copies"] == 0
    assert many["summary"]["copies"] == 18
    assert many["summary"]["elo"] == two["summary"]["elo"]
    counted = [[bot["all"] for bot in told["summary"]["bots"]] for told in (two, many)]
    assert counted[0] == counted[1], "the table counts what the sentence says"
    assert [bout["copy_of"] for bout in many["bouts"][:6]] == [None, None, 1, 2, 1, 2]
    shown = " ".join(ask(20).split())
    assert (
        "18 of 20 bouts are copies and do not count: these bots are deterministic; use more"
        " openings or other seeds" in shown
    )
    assert "(copy of 2)" in shown
    assert "copies" not in ask(2)


def test_a_match_of_two_equal_programs_favours_neither(cli: Ludus, bot: WriteBot) -> None:
    """Their two bouts on swapped seats are the same, and each of them wins one."""
    same = bot(LEGAL, "same.py")
    found = json.loads(cli("match", "reversi", same, same, "--bouts", 6, *TINY, "--json").out)
    assert found["summary"]["copies"] == 4
    assert found["summary"]["elo"]["elo"] == 0


def test_bots_that_draw_random_numbers_make_no_copies(cli: Ludus) -> None:
    found = json.loads(cli("match", "reversi", "random", "random", *TINY, "--json").out)
    assert found["summary"]["copies"] == 0


def test_the_copies_are_named_in_chinese(cli: Ludus, pair: tuple[str, str], chinese: None) -> None:
    shown = "".join(cli("match", "reversi", *pair, "--bouts", 4, *TINY).out.split())
    assert "4局中有2局与其他局完全相同，不计入：这些AI走法固定；可增加开局或换用其他种子" in shown
    assert "（同第1局）" in shown


def test_sprt_does_not_conclude_from_copies(cli: Ludus, pair: tuple[str, str]) -> None:
    asked = ("sprt", *pair, "--game", "reversi", *TINY, "--elo1", "100", "--jobs", "1")
    ran = cli(*asked)
    assert ran.code == 1
    assert "Not decided: the bots only repeat earlier bouts" in ran.out
    again = cli(*asked, "--json")
    found = json.loads(again.out)
    assert (again.code, found["answer"], sum(found["pairs"])) == (1, "open", 1)
    assert found["bouts"] - found["copies"] == 2
    assert MAX_COPIES_IN_A_ROW <= found["copies"] < 3 * MAX_COPIES_IN_A_ROW
