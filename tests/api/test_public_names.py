"""``ludus.__all__`` is a promise: these names, with these signatures, for a cheap import."""

import inspect
import subprocess
import sys

import pytest

import ludus

SIGNATURES = {
    "game": "(name: 'str', **options: 'Any') -> 'GameSetup'",
    "games": "() -> 'list[str]'",
    "load": "(path: 'str | os.PathLike[str]') -> 'BoutResult'",
    "play": (
        "(game: 'str | GameSetup | Game', *bots: 'BotLike', options: 'OptionValues | None' = None,"
        " seed: 'int | None' = None, openings: 'str | Sequence[str]' = '',"
        " clock: 'Clock | None' = None, isolate: 'bool | None' = None, jail: 'str | None' = None,"
        " trust: 'bool' = False) -> 'BoutResult'"
    ),
    "match": (
        "(game: 'str | GameSetup | Game', a: 'BotLike', b: 'BotLike', *, bouts: 'int' = 20,"
        " options: 'OptionValues | None' = None, seed: 'int | None' = None,"
        " openings: 'str | Sequence[str]' = '', clock: 'Clock | None' = None,"
        " isolate: 'bool | None' = None, jail: 'str | None' = None, trust: 'bool' = False,"
        " jobs: 'int' = 1) -> 'MatchResult'"
    ),
}
MEMBERS = {
    "BoutResult": "bots faults game moves notes outcome outputs position positions reason"
    " record save scores seed to_html verify winner",
    "GamePosition": "copy digest game legal outcome play position seat to_move view",
    "GameSetup": "bots name options rules scene seats start title",
    "MatchResult": "better bots bouts copies elo game orders records results score seed",
}
LOADED = "import sys, ludus; print(*sorted(m for m in sys.modules if m.startswith('ludus')))"


def test_the_public_names_are_these() -> None:
    assert sorted(ludus.__all__) == sorted(
        [*SIGNATURES, *MEMBERS, "Clock", "IllegalMove", "LudusError", "__version__"]
    )
    for name in ludus.__all__:
        assert getattr(ludus, name) is not None
    assert set(ludus.__all__) <= set(dir(ludus))


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_public_function_keeps_its_signature(name: str) -> None:
    assert str(inspect.signature(getattr(ludus, name))) == SIGNATURES[name]


@pytest.mark.parametrize("name", MEMBERS)
def test_a_public_class_keeps_its_members(name: str) -> None:
    kind = getattr(ludus, name)
    fields = getattr(kind, "__dataclass_fields__", {})
    public = {member for member in {*dir(kind), *fields} if not member.startswith("_")}
    assert public == set(MEMBERS[name].split())


def test_importing_ludus_imports_nothing_else() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["ludus"]


def test_the_packages_of_the_same_names_stay_packages() -> None:
    import ludus.games.base
    import ludus.match.record

    assert ludus.match.record.Record is ludus.match.Record
    assert ludus.games.base.Game is ludus.games.Game
    assert "reversi" in ludus.games()


def test_the_samples_are_among_the_games() -> None:
    names = ludus.games()
    assert {"uno", "saiblo_reversi"} < set(names) and len(names) == len(set(names))
    assert all(ludus.game(name).name for name in names)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'plya'"):
        ludus.plya  # type: ignore[attr-defined] # noqa: B018
