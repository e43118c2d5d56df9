"""Names say what things are: one class, one name, and all of them in the glossary."""

import importlib.util
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def glossary() -> ModuleType:
    """The tool that writes it."""
    spec = importlib.util.spec_from_file_location("glossary", ROOT / "tools" / "glossary.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_two_public_classes_share_a_name(glossary: ModuleType) -> None:
    places = defaultdict(list)
    for terms in glossary.list_terms().values():
        for term in terms:
            places[term.name].append(term.module)
    assert len(places) > 400
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_every_public_class_says_what_it_is(glossary: ModuleType) -> None:
    terms = [term for terms in glossary.list_terms().values() for term in terms]
    assert [f"{term.module}: {term.name}" for term in terms if not term.meaning] == []


def test_the_glossary_covers_every_public_class(glossary: ModuleType) -> None:
    """If not: .venv/bin/python tools/glossary.py"""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert page == glossary.replace_glossary(page)


def test_a_class_without_an_entry_is_noticed(
    glossary: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "match").mkdir()
    (tmp_path / "match" / "new.py").write_text('class Referee:\n    """Plays. And more."""\n')
    monkeypatch.setattr(glossary, "SOURCE", tmp_path)
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert "| `Referee` | Plays. | `match/new` |" in glossary.replace_glossary(page)
    assert page != glossary.replace_glossary(page)
