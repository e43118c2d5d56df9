"""``ludus matchup``: two bots head to head, from the records of their bouts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.called import program_name
from ludus.cli import output
from ludus.cli.command import argument, command, option
from ludus.cli.errors import print_error
from ludus.cli.options import JSON_OPTION
from ludus.cli.output import escape_unsafe
from ludus.cli.param_types import FileParam, GameParam
from ludus.errors import LudusError
from ludus.lang import tr, translate

if TYPE_CHECKING:
    from rich.table import Table

    from ludus.contest.matchup import Matchup, MatchupBout, MatchupScore, OpeningScore
    from ludus.games.base import Game
    from ludus.match.record import Record

MAX_SHOWN_OPENINGS = 8
MAX_SHOWN_VERSIONS = 12
COURSE_WIDTH = 60
DIGEST_PATTERN = re.compile(r"[0-9a-f]{6,64}")
DATABASE_SUFFIX = ".db"


@command(
    en="Two bots head to head, from the records of their bouts: by seat, opening and version, over"
    " time, and the openings each of them loses.",
    zh="两个 AI 的交锋记录：按座位、开局、版本统计，得分的走势，以及各自输在哪些开局。",
)
@argument(
    "one",
    metavar="A",
    en="A bot's name, its file, or the beginning of its digest.",
    zh="AI 的名字、文件或摘要的开头。",
)
@argument("other", metavar="B", en="The same of its rival.", zh="对手，同上。")
@argument(
    "files",
    type=FileParam(),
    nargs=-1,
    metavar="[FILE|DIR]…",
    en="Records, folders of them, or contest.db files; the saved records if not given.",
    zh="录像、文件夹或 contest.db；默认为已保存的录像。",
)
@option("--game", type=GameParam(), en="Only bouts of this game.", zh="只看此游戏的对局。")
@JSON_OPTION
def COMMAND(one: str, other: str, files: tuple[str, ...], game: str | None, as_json: bool) -> int:
    from ludus.contest.matchup import summarize_matchup
    from ludus.games.registry import get
    from ludus.match import record_files

    names = [Path(bot).stem if "/" in bot or Path(bot).is_file() else bot for bot in (one, other)]
    sources = files or (str(record_files.records_folder()),)
    played = _choose_game(list(_find_bouts(names, sources, game)), names)
    matchup = summarize_matchup(bout for _, bout in played)
    rules = get(played[0][0])
    if as_json:
        output.print_json(_matchup_json(names, rules, matchup))
    else:
        _print_matchup(names, rules, matchup)
    return 0


def _find_bouts(
    names: Sequence[str], sources: Iterable[str], game: str | None
) -> Iterator[tuple[str, MatchupBout]]:
    """The bouts of the two bots, each with its game."""
    from ludus.contest.matchup import make_matchup_bout

    for source, record in _iterate_records(sources):
        if len(record.bots) != 2 or game not in (None, record.game):
            continue
        for seat in (0, 1):
            pairs = list(zip((record.bots[seat], record.bots[1 - seat]), names, strict=True))
            if all(_is_bot(bot.name, bot.digest, name) for bot, name in pairs):
                yield record.game, make_matchup_bout(record, seat, source)
                break


def _is_bot(name: str, digest: str, wanted: str) -> bool:
    return name == wanted or bool(DIGEST_PATTERN.fullmatch(wanted) and digest.startswith(wanted))


def _iterate_records(sources: Iterable[str]) -> Iterator[tuple[str, Record]]:
    """All records that can be read, with the files they are in; an error is printed for
    each of the others."""
    from ludus.cli.replay.reading import find_record_files
    from ludus.compat.reading import read

    for source in sources:
        if source.endswith(DATABASE_SUFFIX):
            yield from _iterate_database(source)
            continue
        for path in find_record_files([source]):
            try:
                yield str(path), read(path)
            except LudusError as error:
                print_error(str(error), error.detail)


def _iterate_database(path: str) -> Iterator[tuple[str, Record]]:
    import contextlib

    from ludus.match.record import unpack
    from ludus.scheduling.contest_store import ContestStore

    store = ContestStore.open(path)
    if store is None:
        raise LudusError(f"there is no contest in {path}", f"{path} 中没有赛事")
    with contextlib.closing(store):
        for match, number, data in store.iterate_records():
            source = f"{path}: {match} #{number + 1}"
            yield source, unpack(data, source)


def _choose_game(
    found: list[tuple[str, MatchupBout]], names: Sequence[str]
) -> list[tuple[str, MatchupBout]]:
    games = sorted({game for game, _ in found})
    if not found:
        raise LudusError(
            f"no bout between {names[0]} and {names[1]} was found;"
            f" {program_name()} match plays some",
            f"没有找到 {names[0]} 与 {names[1]} 的对局；可用 {program_name()} match 进行",
        )
    if len(games) > 1:
        raise LudusError(
            f"they have played several games ({', '.join(games)}); choose one with --game",
            f"两者有多个游戏的对局（{'、'.join(games)}）；请用 --game 选择",
        )
    return found


def _matchup_json(names: Sequence[str], game: Game, matchup: Matchup) -> dict[str, Any]:
    import msgspec

    return {"game": game.name, "bots": list(names), **msgspec.to_builtins(matchup)}


def _print_matchup(names: Sequence[str], game: Game, matchup: Matchup) -> None:
    from rich.text import Text

    console = output.stdout_console()
    one, other = map(escape_unsafe, names)
    console.print(Text(f"{translate(game.title)} · {one} – {other}", "bold"))
    for line in _headline(one, matchup):
        console.print(Text(line))
    console.print()
    console.print(_render_parts(game, matchup))
    for heading, openings in (
        (tr(f"openings that {one} loses", f"{one} 输掉的开局"), matchup.lost_openings()),
        (tr(f"openings that {other} loses", f"{other} 输掉的开局"), matchup.won_openings()),
    ):
        if openings:
            console.print()
            console.print(_render_openings(heading, openings))
    if len(matchup.course) > 1:
        console.print()
        console.print(Text(tr("score over time", "得分率走势"), "dim"))
        console.print(Text(f"{draw_course(matchup.course)}  {matchup.score.share:.0%}"))


def _headline(name: str, matchup: Matchup) -> Iterator[str]:
    from ludus.rating.copies import describe_copies
    from ludus.rating.elo import EloEstimate, format_probability

    score = matchup.score
    yield tr(
        f"{name} won {score.won}, drew {score.drawn} and lost {score.lost} of {score.bouts}:"
        f" {score.share:.1%}",
        f"{name} 共 {score.bouts} 局：胜 {score.won}，平 {score.drawn}，负 {score.lost}，"
        f"得分率 {score.share:.1%}",
    )
    elo, low, high, chance = matchup.elo, matchup.low, matchup.high, matchup.better
    if elo is not None and low is not None and high is not None and chance is not None:
        gap, better = EloEstimate(elo, low, high).format(), format_probability(chance)
        yield tr(
            f"Elo {gap}, chance that it is better: {better}",
            f"Elo {gap}，更强的可能性：{better}",
        )
    if matchup.copies:
        yield translate(describe_copies(matchup.copies, score.bouts + matchup.copies))


def _render_parts(game: Game, matchup: Matchup) -> Table:
    table = _make_score_table("")
    for name, score in zip(game.seat_names, matchup.seats, strict=True):
        table.add_row(tr(f"as {name}", name), *_score_cells(score))
    if len(matchup.versions) > 1:
        for each in matchup.versions[-MAX_SHOWN_VERSIONS:]:
            mine, rival = (digest[:8] or "?" for digest in each.versions)
            table.add_row(f"{mine} – {rival}", *_score_cells(each.score))
    return table


def _render_openings(heading: str, openings: Sequence[OpeningScore]) -> Table:
    table = _make_score_table(heading)
    for each in openings[:MAX_SHOWN_OPENINGS]:
        table.add_row(" ".join(each.opening), *_score_cells(each.score))
    if len(openings) > MAX_SHOWN_OPENINGS:
        more = len(openings) - MAX_SHOWN_OPENINGS
        table.add_row(tr(f"… and {more} more", f"……另有 {more} 个"), "", "", "")
    return table


def _make_score_table(heading: str) -> Table:
    from ludus.cli.tables import make_table

    table = make_table(heading)
    for name in (tr("bouts", "局数"), tr("won–drawn–lost", "胜–平–负"), tr("score", "得分率")):
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _score_cells(score: MatchupScore) -> tuple[str, str, str]:
    if not score.bouts:
        return "0", "–", "–"
    return str(score.bouts), f"{score.won}–{score.drawn}–{score.lost}", f"{score.share:.0%}"


def draw_course(shares: Sequence[float], width: int = COURSE_WIDTH) -> str:
    """Shares of points from 0 to 1 as a line of blocks."""
    blocks = "▁▂▃▄▅▆▇█"
    count = min(width, len(shares))
    places = [round(i * (len(shares) - 1) / max(count - 1, 1)) for i in range(count)]
    return "".join(
        blocks[min(int(shares[place] * len(blocks)), len(blocks) - 1)] for place in places
    )
