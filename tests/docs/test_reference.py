"""The reference has every command, option, route, type and public Python name."""

import dataclasses
import re
from collections.abc import Iterator
from importlib import import_module

import click
import pytest

import ludus
from ludus.cli.command import BilingualOption, LazyGroup
from ludus.cli.root import ROOT
from ludus.games.symmetry import FLIP_COLUMNS, FLIP_ROWS, TRANSPOSE
from ludus.lang import Text
from ludus.learn.settings import SECTIONS, TrainingSettings
from ludus.server.web.api_schema import iter_handlers
from ludus.server.web.app import cached_routes
from tools.docs_site.reference import GENERATED_PAGES
from tools.docs_site.reference_python import GAME_NAMES
from tools.docs_site.reference_rest import openapi_document

LANGUAGES = ("en", "zh")


def sections(page: str) -> dict[str, str]:
    """The text under each heading of the third level."""
    parts = re.split(r"^### (.+)$", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def commands(group: LazyGroup = ROOT, path: str = "ludus") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group, info_name=path)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{path} {name}", command
        if isinstance(command, LazyGroup):
            yield from commands(command, f"{path} {name}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_and_option_is_there(language: str) -> None:
    found = sections(GENERATED_PAGES["reference-cli"](language))
    expected = dict(commands())
    assert set(found) == {f"`{path}`" for path in expected}
    for path, command in expected.items():
        text = found[f"`{path}`"]
        for option in command.params:
            if isinstance(option, BilingualOption) and not option.hidden:
                assert set(option.opts) <= set(re.findall(r"-{1,2}[\w-]+", text)), (path, option)
                assert first_words(option.text, language) in text.replace("\\", "")


def first_words(text: Text, language: str) -> str:
    return " ".join(text[language].split()).replace("|", "")[:12]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_public_name_is_there(language: str) -> None:
    page = GENERATED_PAGES["reference-python"](language)
    headings = re.findall(r"^## `ludus\.(\w+)`$", page, re.MULTILINE)
    assert sorted(headings) == sorted(ludus.__all__)
    for name in ("BoutResult", "MatchResult", "GamePosition", "GameSetup"):
        members = set(re.findall(rf"^### `{name}\.(\w+)`$", page, re.MULTILINE))
        kind = getattr(ludus, name)
        public = {each for each in vars(kind) if not each.startswith("_")}
        assert public - set(getattr(kind, "__slots__", ())) <= members, name
    assert "the name of a house bot, the path of a file" in page.replace("\n", " ")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_results_hold_is_there(language: str) -> None:
    page = GENERATED_PAGES["reference-python"](language)
    fields = set(re.findall(r"^### `(\w+\.\w+)`$", page, re.MULTILINE))
    assert {"SeatFault.kind", "SeatFault.why", "SeatFault.trace"} < fields
    assert {
        "PairedScore.pairs",
        "PairedScore.points",
        "EloEstimate.low",
        "WinDrawLoss.won",
    } < fields


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_games_are_written_with_is_there(language: str) -> None:
    page = GENERATED_PAGES["reference-games"](language)
    for name, module in GAME_NAMES.items():
        kind = getattr(import_module(module), name)
        assert f"\n## `{module}.{name}`\n" in page
        for member in vars(kind) if isinstance(kind, type) else ():
            if name != "IllegalMove" and not member.startswith("_"):
                assert f"`{member}`" in page or f"`{name}.{member}`" in page, (name, member)
    attributes = re.findall(r"^### `(Game\.\w+)`\n\n```python\n.*?\n```\n\n(.)", page, re.M | re.S)
    assert len(attributes) == page.count("\n### `Game.")
    assert all(said.isupper() or said in '`"' for _, said in attributes), attributes
    for symmetry in (FLIP_COLUMNS, FLIP_ROWS, TRANSPOSE):
        assert f"`{symmetry}`" in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_route_and_type_is_there(language: str) -> None:
    page = GENERATED_PAGES["reference-rest"](language)
    found = sections(page)
    handlers = iter_handlers(cached_routes())
    routes = {f"`{method} {path}`" for method, path, _ in handlers if "/api/docs" not in path}
    assert len(routes) > 80
    types = set(openapi_document()["components"]["schemas"])
    assert set(found) == routes | types
    linked = set(re.findall(r"\]\(#(\w+)\)", page))
    assert linked <= {name.lower() for name in types}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_training_setting_is_there_with_what_it_means(language: str) -> None:
    page = GENERATED_PAGES["reference-training"](language)
    rows = dict(re.findall(r"^\| `([\w.]+)` \| `[^`]+` \| (.*) \|$", page, re.MULTILINE))
    names = {
        f"{section}.{field.name}"
        for section, kind in SECTIONS.items()
        for field in dataclasses.fields(kind)
    }
    general = {field.name for field in dataclasses.fields(TrainingSettings)}
    assert set(rows) == names | general - {"game", "options", *SECTIONS}
    assert [name for name, meaning in rows.items() if not meaning.strip()] == []
