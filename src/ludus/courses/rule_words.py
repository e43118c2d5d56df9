"""A grading rule, and the marks that it gave, as sentences that teachers and students read."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ludus.courses.assignment import AssignmentSettings, Rival
from ludus.courses.marks import MarkLine, exact, round_half_up, total_points
from ludus.games.registry import get_listed
from ludus.lang import Text

Names = Mapping[str, Text]
"""What rivals are called, by their ``bot``; one that is missing is known by its level only."""


def format_points(value: Fraction) -> str:
    """At most two decimals: ``7.5``, ``6.67``."""
    text = f"{float(round_half_up(value, '0.01')):.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def name_rival(level: int, bot: str, names: Names) -> Text:
    """``level 2 (Greedy)``, or only the level if its name is not to be shown."""
    if bot not in names:
        return Text(f"level {level} (hidden)", f"第 {level} 级（隐藏）")
    name = names[bot]
    return Text(f"level {level} ({name.en})", f"第 {level} 级（{name.zh}）")


def describe_rule(settings: AssignmentSettings, names: Names) -> list[Text]:
    """All that gives and takes points, one sentence each, the total first."""
    rule = settings.rule
    most = format_points(total_points(settings))
    sentences = [Text(f"There are {most} points in all.", f"满分 {most} 分。")]
    if rule.no_fault:
        sentences.append(_describe_no_fault(settings))
    ordered = sorted(settings.rivals, key=lambda rival: rival.level)
    sentences += [_describe_rival(settings, rival, names) for rival in ordered]
    sentences += _describe_ladder(settings)
    for part in rule.manual:
        points = format_points(exact(part.points))
        sentences.append(
            Text(
                f"Up to {points} points for “{part.title}” are given by a teacher. Hand it in as"
                " your teacher told you, not on this page; the points appear here.",
                f"“{part.title}”由教师评分，最多 {points} 分。请按教师说明的方式提交，"
                "不在本页提交；得分会显示在这里。",
            )
        )
    sentences.append(_describe_clock(settings))
    return [*sentences, _describe_late(settings), *_describe_attempts(settings)]


def _describe_clock(settings: AssignmentSettings) -> Text:
    """The time of a bot, and that of the check of an upload if that is another one."""
    game = get_listed(settings.game)
    clock, usual = settings.clock.for_game(game), game.clock.budget
    en = f"A bot has {clock.budget:g} s of CPU time for a bout"
    zh = f"每局每方有 {clock.budget:g} 秒 CPU 时间"
    if clock.increment:
        en += f", and {clock.increment:g} s more for each move"
        zh += f"，每步另加 {clock.increment:g} 秒"
    if clock.per_move:
        en += f", and at most {clock.per_move:g} s for a move"
        zh += f"，每步最多 {clock.per_move:g} 秒"
    if clock.budget != usual:
        en += f"; the check of an upload gives it {usual:g} s"
        zh += f"（上传后的检查为 {usual:g} 秒）"
    return Text(f"{en}.", f"{zh}。")


def _describe_no_fault(settings: AssignmentSettings) -> Text:
    points = format_points(exact(settings.rule.no_fault))
    if settings.rule.no_fault_share:
        return Text(
            f"{points} points for bouts without a fault, in proportion to their share.",
            f"无异常的对局共 {points} 分，按无异常局的比例给分。",
        )
    return Text(
        f"{points} points if no bout ends with a fault of the bot.",
        f"所有对局均无异常得 {points} 分，出现任何一次异常不得分。",
    )


def _describe_rival(settings: AssignmentSettings, rival: Rival, names: Names) -> Text:
    name, bouts = name_rival(rival.level, rival.bot, names), settings.bouts
    points = format_points(exact(rival.points))
    low, full = f"{rival.from_percent:g}", f"{rival.full_percent:g}"
    if rival.from_percent == rival.full_percent:
        return Text(
            f"{points} points against {name.en} for {full} % or more of the score in {bouts}"
            " bouts, else none.",
            f"对{name.zh}：{bouts} 局得分率达到 {full}% 得 {points} 分，否则不得分。",
        )
    begin = "" if rival.from_percent == 0 else f" above {low} %"
    begin_zh = "" if rival.from_percent == 0 else f"超过 {low}% 起"
    top = "" if rival.full_percent == 100 else f"; all of them from {full} % on"
    top_zh = "" if rival.full_percent == 100 else f"达到 {full}% 即得满分，"
    return Text(
        f"Up to {points} points against {name.en}, in proportion to the score in {bouts}"
        f" bouts{begin}{top}.",
        f"对{name.zh}：按 {bouts} 局的得分率{begin_zh}成比例给分，{top_zh}最多 {points} 分。",
    )


def _describe_ladder(settings: AssignmentSettings) -> list[Text]:
    bands = settings.rule.ladder
    if not bands:
        return []
    en = ", ".join(f"{format_points(exact(b.points))} up to place {b.place}" for b in bands)
    zh = "，".join(f"前 {b.place} 名 {format_points(exact(b.points))} 分" for b in bands)
    return [
        Text(
            f"Points for the place of one's best bot on the ladder, among the class: {en}.",
            f"按天梯上本班名次（每人取最好的 AI）给分：{zh}。",
        )
    ]


def _describe_late(settings: AssignmentSettings) -> Text:
    late = settings.late
    if not late.days:
        return Text("Nothing is accepted after the deadline.", "截止后不再接受提交。")
    percent = f"{late.percent_a_day:g}"
    return Text(
        f"After the deadline each day that has begun takes {percent} % off the points of the"
        f" bouts; after {late.days} days nothing is accepted.",
        f"每逾期一天（不满一天按一天计）扣对局得分的 {percent}%，"
        f"逾期 {late.days} 天后不再接受提交。",
    )


def describe_lateness(settings: AssignmentSettings, days_late: int) -> Text:
    """What handing in so many days late costs, and which submission counts then."""
    off, counts = _explain_late(settings, days_late), _describe_counted(settings)
    if settings.counted == 1:
        counts = Text(
            "The last submission counts, even if an earlier one was on time.",
            "以最后一次提交为准，即使之前有按时的提交。",
        )
    return Text(
        f"The deadline has passed. {off.en[:1].upper()}{off.en[1:]}. {counts.en}",
        f"已过截止时间。{off.zh}。{counts.zh}",
    )


def describe_past_deadline(settings: AssignmentSettings) -> Text | None:
    """What follows for submissions that were on time until the deadline was moved before them;
    None if being late costs nothing."""
    percent = settings.late.percent_a_day
    if not percent:
        return None
    return Text(
        "What was handed in after it is late: each day that has begun takes"
        f" {percent:g} % off the points of its bouts.",
        f"在此之后的提交算逾期：每逾期一天（不满一天按一天计）扣对局得分的 {percent:g}%。",
    )


def _explain_late(settings: AssignmentSettings, days_late: int) -> Text:
    percent = f"{min(100.0, settings.late.percent_a_day * days_late):g}"
    days = "1 day late" if days_late == 1 else f"{days_late} days late"
    return Text(
        f"{days}: {percent} % off the points of the bouts",
        f"逾期 {days_late} 天：扣对局得分的 {percent}%",
    )


def _describe_counted(settings: AssignmentSettings) -> Text:
    counted = settings.counted
    if counted == 1:
        return Text("The last submission counts.", "以最后一次提交为准。")
    if counted:
        return Text(
            f"The best of the last {counted} submissions counts.",
            f"取最近 {counted} 次提交中最好的一次。",
        )
    return Text("The best submission counts.", "取所有提交中最好的一次。")


def _describe_attempts(settings: AssignmentSettings) -> list[Text]:
    counts, attempts = _describe_counted(settings), settings.attempts_a_day
    step = settings.rule.round_to
    fair = Text(
        "Everyone meets the same rivals with the same seeds and openings, with seats swapped."
        f" The total is rounded to {step}.",
        f"所有人与同样的对手、以同样的种子和开局换边对弈。总分四舍五入到 {step}。",
    )
    limit = Text(f"There are up to {attempts} submissions a day.", f"每天最多提交 {attempts} 次。")
    return [counts, limit, fair] if attempts else [counts, fair]


def describe_line(line: MarkLine, names: Names, settings: AssignmentSettings, reveals: str) -> Text:
    """Why a line has its points, with the numbers. ``reveals`` is when hidden rivals are shown."""
    match line.kind:
        case "no_fault":
            return _explain_no_fault(line)
        case "rival":
            return _explain_rival(line, names, reveals)
        case "late":
            return _explain_late(settings, line.count)
        case "ladder":
            if not line.count:
                return Text("not on the ladder", "未参加天梯")
            return Text(
                f"place {line.count} of the class on the ladder",
                f"天梯上本班第 {line.count} 名",
            )
    if line.points is None:
        return Text(f"{line.key}: not judged yet", f"{line.key}：尚未评分")
    return Text(f"{line.key}: judged by a teacher", f"{line.key}：教师评分")


def _explain_no_fault(line: MarkLine) -> Text:
    if not line.played:
        return Text("bouts without a fault: none was played yet", "无异常的对局：尚无对局")
    if line.count:
        bouts = "1 bout" if line.count == 1 else f"{line.count} bouts"
        return Text(f"{bouts} ended with a fault", f"{line.count} 局出现异常")
    if line.points is None or not line.final:
        return Text("no fault so far", "目前没有异常")
    return Text("no bout ended with a fault", "所有对局均无异常")


def _explain_rival(line: MarkLine, names: Names, reveals: str) -> Text:
    name, score = name_rival(line.level, line.key, names), line.score
    if score is None:
        return Text(
            f"{name.en}: shown once no submissions are accepted any more ({reveals})",
            f"{name.zh}：不再接受提交后公布（{reveals}）",
        )
    if not score.bouts:
        return Text(f"{name.en}: not played yet", f"{name.zh}：尚未开始")
    points = format_points(score.points)
    share = format_points(100 * score.points / score.bouts)
    low, high = (round(100 * bound) for bound in score.interval)
    open_en = "" if score.bouts >= score.planned else f" of {score.planned}"
    open_zh = "" if score.bouts >= score.planned else f"（共 {score.planned} 局）"
    return Text(
        f"{name.en}: {points} of {score.bouts}{open_en} bouts, {share} % (95 %: {low}–{high} %)",
        f"{name.zh}：{score.bouts} 局{open_zh}得 {points} 分，得分率 {share}%"
        f"（95% 区间 {low}–{high}%）",
    )
