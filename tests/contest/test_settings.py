"""contest.toml and the presets of real events."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect

from ludus.contest import settings as files
from ludus.contest.bout_count import refuse_too_many_bouts
from ludus.contest.formats import AnyFormat, Staged
from ludus.contest.model import Entrant
from ludus.contest.presets import PRESETS, load_preset
from ludus.contest.settings import BotEntry, ContestSettings
from ludus.contest.settings_help import SETTING_NOTES
from ludus.contest.validation import find_mistake
from ludus.errors import LudusError
from ludus.games.registry import get
from ludus.scheduling.contest_loading import ContestFile, resolve_entrants
from ludus.scheduling.lease import Lease
from tests.support.contests import by_name, entrants, play_out
from tests.support.stored_bouts import brought

REVERSI = get("reversi")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_written_and_read_back(name: str) -> None:
    made = load_preset(
        name, entrants=[{"bot": "a.py"}, {"bot": "b.py", "name": "b|=#\"'", "seed": 2}]
    )
    made.check()
    text = files.format_contest_settings(made, head="two\nlines")
    assert text.startswith("# two\n# lines\n")
    assert files.parse_contest_settings(tomllib.loads(text), "again") == made


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_can_be_played_to_its_end(name: str) -> None:
    form = load_preset(name).format
    field = entrants(12)
    done = play_out(form, field, by_name, at_once=4)
    assert form.standings(field, done).rows[0].note == "champion"


def test_the_event_of_2018_has_its_rules() -> None:
    event = load_preset("paperio2018")
    assert isinstance(event.format, Staged)
    league, knockout, final = (event.rules_for_stage(s) for s in ("league", "knockout", "final"))
    assert (league.bouts, league.half_bouts, league.early_end, league.memory) == (
        20,
        10,
        True,
        True,
    )
    assert league.timeout == "match"
    assert knockout.budget == 30
    assert knockout.timeout == "bout"
    assert (final.bouts, final.extra, final.extra_seats) == (2, 1, "drawn")
    labels = [label for pair in event.format.pairs for label in pair]
    assert sorted(labels) == ["E1", "E2", "N1", "N2", "S1", "S2", "W1", "W2"]


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("paperio2018", (1, "drawn", "lot")),
        ("duel2048-2020", (1, "drawn", "second")),
        ("duel2048-2020-f19", (1, "drawn", "second")),
        ("eraser2023", (0, "mirrored", "lot")),
    ],
)
def test_level_knockout_matches_of_real_events_are_decided_as_they_were(
    name: str, rule: tuple[int, str, str]
) -> None:
    event = load_preset(name)
    for stage in ("knockout", "third", "final"):
        rules = event.rules_for_stage(stage)
        assert (rules.extra, rules.extra_seats, rules.last) == rule


def test_rules_for_level_matches_are_written_where_a_match_must_have_a_winner() -> None:
    bots = [{"bot": "a.py"}, {"bot": "b.py"}]
    for form, count in (("knockout", 1), ("staged", 1), ("swiss", 0)):
        facts = {"name": "x", "game": "reversi", "format": {"name": form}, "entrants": bots}
        made = files.parse_contest_settings(facts, "x")
        text = files.format_contest_settings(made)
        assert text.count("\nextra = 20 ") == text.count("\nextra_seats") == count
        assert files.parse_contest_settings(tomllib.loads(text), "again") == made


def write(folder: Path, text: str) -> Path:
    path = folder / "contest.toml"
    path.write_text('name = "night"\ngame = "reversi"\n' + text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seed = [", "not valid TOML"),
        ("seed = " + "1" * 10_000, "not valid TOML"),
        ("seed = " + "[" * 10_000, "not valid TOML"),
        ("colour = 1", "no setting 'colour'; there are: name, game, seed"),
        ('[format]\nname = "melee"', "cannot be 'melee'; it may be: 'round-robin', 'groups'"),
        ('[format]\nname = "swiss"\ncycles = 2', "'cycles' in format; there are: rounds"),
        ('[format]\nname = "swiss"\nrounds = -1', "format.rounds must be at least 0"),
        ('[format]\nname = "swiss"\npoints = [1]', "must be a list of 3, not 1"),
        ('[match]\nbouts = "two"', "match.bouts must be a whole number, not text in quotes"),
        ('[match]\nseats = "soft"', "cannot be 'soft'; it may be: 'fixed', 'halves'"),
        ("[match]\nbotus = 2", r"no setting 'botus' in match; did you mean 'bouts'\? there are: "),
        ('[format]\nnmae = "swiss"', r"no setting 'nmae' in format; did you mean 'name'\?"),
        ('[[entrants]]\nname = "a"', r"entrants\[0\] lacks 'bot'"),
        ("[match]\nbouts = 0", "at least one bout"),
        ("[stages.semi]\nbouts = 1", "no stage 'semi'"),
        ('[stages.final]\nbouts = "many"', "stages.final"),
        ('[format]\nname = "swiss"\ntie_breaks = ["beauty"]', "no tie-break 'beauty'"),
        ('[[entrants]]\nbot = "a"\nname = "a/b"', "visible characters"),
        ("[format]\nname = 'round-robin'\ncycles = 1000000000", "cycles must be at most 1000"),
        ("[format]\nname = 'swiss'\nrounds = 1000000000", "rounds must be at most 10000"),
        ("[format]\nname = 'ladder'\nrounds = 1000000000", "rounds must be at most 10000"),
        ("[match]\nbouts = 1000000000", "bouts must be at most 1000000"),
        ("[match]\nextra = 1000000000", "extra must be at most 10000"),
        ("[format]\nname = 'groups'\ngroups = []", "format.groups must not be empty"),
        (f"openings = ['{'x' * 2000}']", r"openings\[0\] must have at most 1000 characters"),
    ],
)
def test_mistakes_in_the_file_are_told(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(LudusError, match=said):
        files.read_contest_settings(write(tmp_path, text))


def test_mistakes_are_told_in_chinese_too(tmp_path: Path) -> None:
    for text, said in (
        ('[match]\nbouts = "two"', "match.bouts 应为整数，而不是带引号的文本"),
        ("[match]\nbotus = 2", "match 中没有 'botus' 这一项；是不是 'bouts'？可用的有：bouts"),
        ('[format]\nname = "melee"', "不能是 'melee'；可以是：'round-robin'"),
        ("[format]\nname = 'staged'\nleague = {name = 'groups', groups = []}", "groups 不能为空"),
    ):
        with pytest.raises(LudusError) as caught:
            files.read_contest_settings(write(tmp_path, text))
        assert said in caught.value.text["zh"]


def test_the_file_says_what_its_settings_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_LANG", "zh")
    text = files.format_contest_settings(
        load_preset("paperio2018", entrants=[{"bot": "a.py"}, {"bot": "b.py"}])
    )
    assert re.search(r"^bouts = 20 +# 每场局数$", text, re.MULTILINE)
    assert "[stages]" not in text
    assert "group =" not in text
    assert text.count("# 自带 AI、文件、文件夹或 cmd:程序") == 1


def test_every_setting_that_is_explained_exists() -> None:
    formats = {kind.__struct_config__.tag: kind for kind in get_args(AnyFormat)}
    kinds = {
        **formats,
        "": ContestSettings,
        "clock": files.ClockSettings,
        "match": files.MatchRules,
        "entrants": BotEntry,
    }
    for table, known in SETTING_NOTES.items():
        assert known.keys() <= set(kinds[table].__struct_fields__), table


def test_all_bots_that_cannot_enter_are_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("class Bot")
    entries = [BotEntry("greedy"), BotEntry("broken.py"), BotEntry("missing.py")]
    with pytest.raises(LudusError, match="2 of 3 bots cannot enter") as caught:
        resolve_entrants(entries, REVERSI, tmp_path)
    assert "broken.py" in caught.value.detail
    assert "missing.py" in caught.value.detail


def test_unknown_options_and_games_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    bots = '[[entrants]]\nbot = "greedy"\n[[entrants]]\nbot = "random"\n'
    for text in (
        "options = {width = 9}\n",
        "clock = {budget = -1.0}\n",
        'format = {name = "gauntlet", challengers = ["x"]}\n',
    ):
        contest = ContestFile(write(tmp_path, text + bots))
        with pytest.raises(LudusError):
            contest.open_or_create_store()
        assert not Path(contest.database_address).exists()


def test_a_clock_and_a_plan_without_end_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    """The plan of the second would take weeks to write down."""
    bots = "\n".join('[[entrants]]\nbot = "random"' for _ in range(60))
    for text, said in (
        ("[clock]\nbudget = 1e300", "budget is at most 86400"),
        ("[clock]\nbudget = inf", "finite"),
        ("[format]\nname = 'round-robin'\ncycles = 1000", "come to 3,540,000 bouts"),
    ):
        contest = ContestFile(write(tmp_path, f"{text}\n{bots}"))
        with pytest.raises(LudusError, match=said):
            contest.open_or_create_store()
        assert not Path(contest.database_address).exists()


def test_extra_bouts_count_only_where_they_can_be_played(tmp_path: Path) -> None:
    many = [Entrant(f"bot{number}") for number in range(900)]
    for text, total in (
        ("[format]\nname = 'round-robin'\n", None),
        ("[format]\nname = 'knockout'\n[match]\nextra = 10000", "9,001,800"),
    ):
        read = files.read_contest_settings(write(tmp_path, text))
        if total is None:
            refuse_too_many_bouts(read, many)
        else:
            with pytest.raises(LudusError, match=total):
                refuse_too_many_bouts(read, many)


def test_a_contest_of_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LudusError, match="two entrants or more"):
        ContestFile(write(tmp_path, '[[entrants]]\nbot = "greedy"')).open_or_create_store()


def begin(contest: ContestFile) -> None:
    """Play a bout of it."""
    store = contest.open_or_create_store()
    store.save_bouts([brought(0)])
    store.close()


def test_settings_cannot_change_once_a_bout_was_played(tmp_path: Path) -> None:
    bots = '[[entrants]]\nbot = "greedy"\n[[entrants]]\nbot = "random"\n'
    begin(ContestFile(write(tmp_path, bots)))
    changed = ContestFile(write(tmp_path, "seed = 8\n" + bots))
    for refusing in (changed.open_store, changed.open_or_create_store):
        with pytest.raises(LudusError, match=r"has changed since the contest began \(seed\)"):
            refusing()


def test_a_contest_without_bouts_follows_its_file(tmp_path: Path) -> None:
    bots = '[[entrants]]\nbot = "greedy"\n[[entrants]]\nbot = "random"\n'
    first = ContestFile(write(tmp_path, bots)).open_or_create_store()
    first.drop_entrant("greedy", 1)
    first.close()
    more = f'seed = 8\n{bots}[[entrants]]\nbot = "greedy"\nname = "third"\n'
    store = ContestFile(write(tmp_path, more)).open_or_create_store()
    assert store.settings().seed == 8
    present = {each.entrant.name: each.entrant.dropped for each in store.load_entrants()}
    assert present == {"greedy": True, "random": False, "third": False}
    for seeded in (
        '[[entrants]]\nbot = "greedy"\n[[entrants]]\nbot = "random"\nseed = 1\n',
        '[[entrants]]\nbot = "greedy"\n[[entrants]]\nbot = "random"\nseed = 1\ngroup = "B"\n',
        '[[entrants]]\nbot = "random"\nseed = 1\ngroup = "B"\n[[entrants]]\nbot = "greedy"\n',
    ):
        contest = ContestFile(write(tmp_path, f"seed = 8\n{seeded}"))
        contest.open_or_create_store().close()
        told = [
            (each.entrant.name, each.entrant.seed, each.entrant.group)
            for each in store.load_entrants()
        ]
        assert told == [(each.bot, each.seed, each.group) for each in contest.settings.entrants]
    lease = Lease(store)
    lease.acquire()
    with pytest.raises(LudusError, match=r"has changed since the contest began \(seed\)"):
        ContestFile(write(tmp_path, f"seed = 9\n{bots}")).open_or_create_store()
    lease.release()
    store.close()


def test_entrants_join_those_of_the_file_until_a_bout_is_played(tmp_path: Path) -> None:
    bots = '[[entrants]]\nbot = "greedy"\n[[entrants]]\nbot = "random"\n'
    path = write(tmp_path, bots)
    ContestFile(path).open_or_create_store().close()
    write(tmp_path, f'{bots}[[entrants]]\nbot = "greedy"\nname = "third"\n')
    before = path.read_text()
    with pytest.raises(LudusError, match="two entrants are called 'third'"):
        ContestFile(path).add_entrants([BotEntry("random", "third")])
    assert path.read_text() == before
    (added,) = ContestFile(path).add_entrants([BotEntry("random", "fourth", seed=3)])
    assert added.entrant == Entrant("fourth", seed=3)
    store = ContestFile(path).open_store()
    assert store is not None
    listed = [(each.entrant.name, each.entrant.seed) for each in store.load_entrants()]
    assert listed == [("greedy", 0), ("random", 0), ("third", 0), ("fourth", 3)]
    entries = files.read_contest_settings(path).entrants
    assert entries[3] == BotEntry("random", "fourth", seed=3)
    lease = Lease(store)
    lease.acquire()
    ContestFile(path).add_entrants([BotEntry("random", "fifth")])
    assert store.load_entrants()[4].entrant.name == "fifth", "it plays though nothing is followed"
    assert files.read_contest_settings(path).entrants[4] == BotEntry("random", "fifth")
    lease.release()
    store.close()


def test_a_contest_goes_on_by_the_rules_that_it_began_with(tmp_path: Path) -> None:
    """Whatever has become of defaults that its file left out."""
    cup = '[format]\nname = "knockout"\n'
    bots = '[[entrants]]\nbot = "greedy"\n[[entrants]]\nbot = "random"\n'
    begin(ContestFile(write(tmp_path, f'{cup}[match]\nextra = 0\nextra_seats = "drawn"\n{bots}')))
    contest = ContestFile(write(tmp_path, cup + bots))
    contest.open_or_create_store().close()
    assert (contest.settings.match.extra, contest.settings.match.extra_seats) == (0, "drawn")
    with pytest.raises(LudusError, match=r"has changed since the contest began \(match\)"):
        ContestFile(write(tmp_path, f"{cup}[match]\nextra = 4\n{bots}")).open_or_create_store()


def test_every_entrant_gets_a_name_of_its_own(tmp_path: Path) -> None:
    entries = [BotEntry("random"), BotEntry("random"), BotEntry("greedy"), BotEntry("greedy", "me")]
    names = [t.entrant.name for t in resolve_entrants(entries, REVERSI, tmp_path)]
    assert names == ["random#1", "random#2", "greedy", "me"]
    later = resolve_entrants([BotEntry("greedy")], REVERSI, tmp_path, names)
    assert later[0].entrant.name == "greedy#1"
    with pytest.raises(LudusError, match="two entrants are called 'me'"):
        resolve_entrants([BotEntry("random", "me")], REVERSI, tmp_path, names)


def test_stages_differ_in_what_they_say_and_share_the_rest() -> None:
    made = ContestSettings(
        name="x", game="reversi", match=files.MatchRules(bouts=6), stages={"final": {"extra": 3}}
    )
    assert made.rules_for_stage("final") == files.MatchRules(bouts=6, extra=3)
    assert made.rules_for_stage("league") == files.MatchRules(bouts=6)


@pytest.mark.parametrize("given", [None, "swiss"])
def test_a_format_inside_another_cannot_be_of_another_kind(given: object) -> None:
    whole = msgspec.to_builtins(load_preset("paperio2018", entrants=[{"bot": "a"}]))
    whole["format"]["knockout"]["name"] = given
    mistake = find_mistake(inspect.type_info(ContestSettings), whole)
    assert mistake is not None and f"format.knockout.name cannot be {given!r}" in mistake["en"]


PLAIN = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([10**12, 0.5, -1.5, 3.0])
WORDS = st.sampled_from(
    ["name", "bot", "seed", "rounds", "swiss", "groups", "mirrored", "final", "x"]
)
DATA = st.recursive(
    PLAIN | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


@given(preset=st.sampled_from(list(PRESETS)), data=st.data())
def test_a_mistake_is_found_exactly_where_msgspec_refuses(preset: str, data: st.DataObject) -> None:
    """Whatever stands in whichever place of a file."""
    whole = msgspec.to_builtins(load_preset(preset, entrants=[{"bot": "a"}]))
    place, steps = whole, data.draw(st.integers(1, 3))
    for _ in range(steps):
        key = data.draw(st.sampled_from([*sorted(place), "odd"]))
        if steps == 1 or not isinstance(place.get(key), dict) or not place[key]:
            break
        place = place[key]
    place[key] = data.draw(DATA)
    try:
        msgspec.convert(whole, ContestSettings)
        refused = False
    except msgspec.ValidationError:
        refused = True
    except LudusError:
        return  # of the right types; the settings themselves say what is wrong
    assert (find_mistake(inspect.type_info(ContestSettings), whole) is not None) == refused


def test_a_mistake_is_named_by_its_place(tmp_path: Path) -> None:
    for text, said in (
        ('[[entrants]]\nbot = "a"\n[[entrants]]\nbot = 5', r"entrants\[1\]\.bot must be text"),
        ("[format]\nname = 'swiss'\npoints = [1, 'x', 0]", r"format\.points\[1\] must be a number"),
        ("[stages]\nfinal = 3", "stages.final must be a table, not a whole number"),
        ("seed = 1979-05-27", "seed must be a whole number, not date"),
        ("[format]\nrounds = 3", "format lacks 'name'"),
        ("[match]\ndecide = ['figure', 'beauty']", r"decide\[1\] cannot be 'beauty'"),
        ("[clock]\nbudget = 'long'", "clock.budget must be a number such as 0.5, not text"),
    ):
        with pytest.raises(LudusError, match=said):
            files.read_contest_settings(write(tmp_path, text))
