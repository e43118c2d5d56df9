"""Errors are told apart by their classes and codes, never by their sentences."""

import ast
import copy
import importlib
import json
import pickle
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ludus
from ludus.bots import limited_calls
from ludus.cli.main import run
from ludus.errors import LudusError
from ludus.games.registry import UnknownGame, get

SOURCE = Path(ludus.__file__).parent
SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

SENTENCE_READERS = {"startswith", "endswith", "find", "index", "count", "partition", "split"}
SENTENCE_ATTRIBUTES = {"text", "message", "detail", "strerror", "args", "why", "msg", "reason"}
ERROR_NAMES = {"error", "exc", "exception", "failure", "fault", "objection", "refusal", "trouble"}
FOREIGN_SENTENCES = {
    "bots/error_hints.py": 1,  # CPython raises a bare RuntimeError where no thread can be started
    "bots/wrong_signature.py": 1,  # CPython names the wrong call in its sentence alone
    "server/web/errors.py": 1,  # msgspec has one class for all that is wrong with JSON
    "compat/paperio/results.py": 1,  # a record keeps a bot's exception as a sentence, the log whole
}
"""Where a library or a file format leaves no other sign, and only words depend on it."""


def error_classes() -> list[type[LudusError]]:
    for module in pkgutil.walk_packages([str(SOURCE)], "ludus."):
        if "class" in (text := _source_of(module.name)) and "LudusError" in text:
            importlib.import_module(module.name)
    found, left = [], [LudusError]
    while left:
        kind = left.pop()
        left += kind.__subclasses__()
        if kind.__module__.startswith("ludus."):
            found.append(kind)
    return found


def _source_of(module: str) -> str:
    parts = module.split(".")[1:]
    for path in (
        SOURCE.joinpath(*parts).with_suffix(".py"),
        SOURCE.joinpath(*parts, "__init__.py"),
    ):
        if path.is_file():
            return path.read_text("utf-8")
    return ""


def test_every_class_of_errors_has_a_code_of_its_own() -> None:
    kinds = error_classes()
    assert len(kinds) > 10
    codes = {kind: kind.__dict__.get("code") for kind in kinds}
    assert [kind for kind, code in codes.items() if not code] == []
    assert all(SNAKE_CASE.fullmatch(str(code)) for code in codes.values())
    assert len(set(codes.values())) == len(codes)


def given_codes() -> Iterator[tuple[str, str]]:
    """Every ``code="…"`` that an error is raised with, and where."""
    for path in SOURCE.rglob("*.py"):
        text = path.read_text("utf-8")
        if "code=" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call):
                for keyword in node.keywords:
                    value = getattr(keyword.value, "value", None)
                    if keyword.arg == "code" and isinstance(value, str):
                        yield value, f"{path}:{node.lineno}"


def test_codes_that_are_given_look_like_codes() -> None:
    given = list(given_codes())
    assert "invalid_token" in {code for code, _ in given}
    assert [where for code, where in given if not SNAKE_CASE.fullmatch(code)] == []


@pytest.mark.parametrize("page", ["docs/en/page.md", "docs/zh/page.md"])
def test_the_documentation_of_the_api_names_every_code(page: str) -> None:
    text = (SOURCE.parent.parent / page).read_text("utf-8")
    documented = set(re.findall(r"`([a-z_0-9]+)`", text))
    server = [kind for kind in error_classes() if kind.__module__.startswith("ludus.server.")]
    wanted = {"invalid_input", "internal_error", "unknown_game"} | {kind.code for kind in server}
    wanted |= {code for code, where in given_codes() if "/ludus/server/" in where}
    assert wanted - documented == set()


def test_code_and_words_survive_the_way_to_another_process() -> None:
    with pytest.raises(UnknownGame) as caught:
        get("nosuchgame")
    error = caught.value
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is UnknownGame
        assert (other.code, other.text, other.detail) == (error.code, error.text, error.detail)
    with pytest.raises(UnknownGame) as read:
        limited_calls.call(raise_unknown, "nosuchgame")
    assert (read.value.code, read.value.text) == ("unknown_game", error.text)
    narrower = pickle.loads(pickle.dumps(LudusError("a", "甲", code="narrow")))
    assert narrower.as_json() == {"code": "narrow", "en": "a", "zh": "甲"}


def raise_unknown(name: str) -> int:
    get(name)
    return 0


def test_an_error_in_other_words_is_of_the_same_kind() -> None:
    error = UnknownGame("a", "甲", "detail", code="narrow")
    other = error.rephrase("b", "乙")
    assert type(other) is UnknownGame and other.as_json() == {
        "code": "narrow",
        "en": "b",
        "zh": "乙",
    }
    assert error.text["en"] == "a" and error.detail == "detail"


# Sentences


def sentence_matches(source: str) -> list[int]:
    """Lines on which a decision is taken by the words of an error."""
    tree = ast.parse(source)
    names = ERROR_NAMES | {
        node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name
    }
    return [node.lineno for node in ast.walk(tree) if _decides_by_sentence(node, names)]


def _decides_by_sentence(node: ast.AST, names: set[str]) -> bool:
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return any(_is_sentence(side, names) for side in sides) and any(map(_is_words, sides))
    if isinstance(node, ast.Match):
        return _is_sentence(node.subject, names)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in SENTENCE_READERS and _is_sentence(node.func.value, names):
            return True
        searched = node.func.attr in {"search", "match", "fullmatch"}
        return searched and any(_is_sentence(each, names) for each in node.args)
    return False


def _is_words(node: ast.expr) -> bool:
    """A text written here, or a constant that may hold one."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(node.value)
    return (
        isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node).split(".")[-1].isupper()
    )


def _is_sentence(node: ast.expr, names: set[str]) -> bool:
    """``str(error)``, ``error.text["en"]``, ``error.message``, ``error.args[0].lower()``."""
    if isinstance(node, ast.Subscript):
        return _is_sentence(node.value, names)
    if isinstance(node, ast.Attribute):
        return node.attr in SENTENCE_ATTRIBUTES and _root(node.value) in names
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in {"str", "repr"} and node.args:
            return _root(node.args[0]) in names
        return isinstance(node.func, ast.Attribute) and _is_sentence(node.func.value, names)
    return False


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def test_nothing_is_decided_by_the_words_of_an_error() -> None:
    found = {}
    for path in SOURCE.rglob("*.py"):
        if lines := sentence_matches(path.read_text("utf-8")):
            found[path.relative_to(SOURCE).as_posix()] = lines
    assert {path: len(lines) for path, lines in found.items()} == FOREIGN_SENTENCES, found


@pytest.mark.parametrize(
    "code",
    [
        'if "being run already" in error.text["en"]: pass',
        'if str(error) == "no": pass',
        'if "extra" in error.message: pass',
        'if why.text["en"].startswith("no"): pass',
        'match error.args[0]:\n    case "no": pass',
        'if re.search("no", str(error).lower()): pass',
        "if TRUNCATED in str(error): pass",
    ],
)
def test_a_decision_by_words_is_found(code: str) -> None:
    handler = "try: pass\nexcept Exception as why: pass\n"
    assert sentence_matches(handler + code)


def test_decisions_by_class_and_code_are_fine() -> None:
    assert not sentence_matches('if error.code == "not_found" or error.errno in KNOWN: pass')


# The command line


def test_who_asks_for_json_gets_code_and_sentence_of_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_LANG", "en")
    assert run(["play", "reversi", "nosuchbot", "random", "--json"]) == 2
    told = capsys.readouterr()
    error = json.loads(told.out)["error"]
    assert error["code"] == "unknown_bot" and "nosuchbot" in error["zh"]
    assert error["en"] in told.err
    assert run(["games", "--json", "uno", "much", "too"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error == {"code": "usage", "en": "too many arguments: much too", "zh": error["zh"]}
