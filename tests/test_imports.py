"""Imports point one way: the rooms of src/ludus know only the rooms below them."""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

import pytest

from tests.support.room_paths import NOTHING_KNOWN, PACKAGE, PathReader, named_rooms

SOURCE = Path(__file__).resolve().parent.parent / "src" / "ludus"

GROUND = {
    "lang",
    "errors",
    "home",
    "called",
    "packages",
    "escape",
    "gc_pause",
    "timestamps",
    "os_errors",
    "plugins",
    "findings",
    "logs",
}  # what every room stands on
ALLOWED = {
    "lang": set(),
    "errors": set(),
    "escape": set(),
    "findings": set(),
    "home": set(),
    "gc_pause": set(),
    "logs": set(),
    "called": set(),
    "packages": set(),
    "timestamps": set(),
    "os_errors": set(),
    "plugins": set(),
    "_cython_names": set(),
    "_uncompiled": set(),
    "games": set(),
    "workers": set(),  # bare: training runs where nothing else can be installed
    "sandbox": {"games"},  # installed games, which a jail's Python has at hand
    "bots": {"games", "sandbox", "workers"},
    "match": {"games", "sandbox", "bots", "workers", "rating"},
    "rating": set(),
    "contest": {"games", "bots", "match", "rating"},
    "courses": {"games", "bots", "match", "rating", "contest"},
    "scheduling": {"games", "sandbox", "bots", "match", "rating", "contest", "workers"},
    "tuning": {"games", "sandbox", "bots", "match", "workers"},
    "learn": {"games", "bots", "rating", "workers"},
    "analysis": {"games", "sandbox", "bots", "match", "rating", "workers", "learn"},
    "server": {
        *("games", "sandbox", "bots", "match", "rating", "contest", "scheduling", "workers"),
        *("analysis", "courses"),
    },
    # live tools of the originals open the page
    "compat": {
        *("games", "sandbox", "bots", "match", "rating", "contest", "scheduling", "server"),
        "workers",
    },
}
EVERY_ROOM = set(ALLOWED)
ALLOWED["api"] = EVERY_ROOM  # what the public names do
ALLOWED["cli"] = EVERY_ROOM | {"api"}
ALLOWED["__init__"] = EVERY_ROOM | {"api"}  # the public names
ALLOWED["__main__"] = EVERY_ROOM | {"cli"}  # python -m ludus

OUTSIDE_GAMES = sys.stdlib_module_names | {"numpy", "cython"}
CYTHON_OWN = {"libc", "libcpp", "cpython", "posix"}


EXPRESSIONS = re.compile(r"import_module|__import__|^\s*import ludus\s*(,|$)", re.MULTILINE)
"""Only a source that matches takes part in what expressions name."""


def nodes_of(source: str) -> Iterable[ast.AST]:
    """All nodes of a source that may import; mostly its statements, which are few."""
    tree = ast.parse(source)
    return ast.walk(tree) if EXPRESSIONS.search(source) else statements(tree)


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement, however deep in others."""
    for part in ("body", "handlers", "orelse", "finalbody", "cases"):
        found = getattr(node, part, ())
        for each in found if isinstance(found, list) else ():
            yield each
            yield from statements(each)


def imported_names(source: str, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """Every import of a module's source, at any depth, as line and full dotted name.

    A bare ``import ludus`` counts as what is then taken from it: ``ludus.__version__``.
    """
    for node in nodes_of(source):
        if isinstance(node, ast.Import):
            bare = [a for a in node.names if a.name == "ludus" and a.asname is None]
            yield from ((node.lineno, a.name) for a in node.names if a not in bare)
        elif isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id == "ludus":
                yield node.lineno, f"ludus.{node.attr}"
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = module.split(".")
                keep = len(parts) - node.level + is_package
                base = ".".join([*parts[:keep], *([base] if base else [])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and called_name(node) in {"import_module", "__import__"}:
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield node.lineno, first.value


def called_name(call: ast.Call) -> str:
    function = call.func
    return getattr(function, "attr", None) or getattr(function, "id", "")


def objection(room: str, name: str) -> str | None:
    """Why this room may not import this name, or None."""
    name = name.removeprefix("cython.cimports.")
    top, _, rest = name.partition(".")
    if top != "ludus":
        if room == "games" and top not in OUTSIDE_GAMES | CYTHON_OWN:
            return f"games may import only the standard library, numpy and cython, not {top}"
        if room == "workers" and top not in sys.stdlib_module_names:
            return f"workers may import only the standard library, not {top}"
        return None
    target = rest.partition(".")[0]
    if target in {"__version__", "__file__"} and room not in {"games", *GROUND}:
        return None
    if target == room or target in ALLOWED[room] | GROUND:
        return None
    if target not in ALLOWED:
        return f"{name} is in no room; import from the room that defines it"
    return f"{room} may not import {target}"


def violations(module: str, source: str, is_package: bool = False) -> list[str]:
    """What is wrong with the imports of a module of ludus, one sentence each."""
    _, _, inside = module.partition(".")
    room = inside.partition(".")[0] or "__init__"
    if room not in ALLOWED:
        return [f"{module}: {room} is no room; add it to ALLOWED if it should be one"]
    found = []
    for line, name in imported_names(source, module, is_package):
        why = objection(room, name)
        if why:
            found.append(f"{module}:{line}: {why}")
    return found


def module_of(path: Path) -> tuple[str, bool]:
    parts = ["ludus", *path.relative_to(SOURCE).with_suffix("").parts]
    if parts[-1] == "__init__":
        return ".".join(parts[:-1]), True
    return ".".join(parts), False


def test_imports_point_downwards_only() -> None:
    found = []
    for path in python_files():
        module, is_package = module_of(path)
        found += violations(module, path.read_text(encoding="utf-8"), is_package)
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("module", "source", "sentence"),
    [
        ("ludus.games.go.rules", "import ludus.bots.players.local", "games may not import bots"),
        ("ludus.games.go.rules", "from ludus import match", "games may not import match"),
        ("ludus.games.go.rules", "import msgspec", "games may import only"),
        ("ludus.workers.pool", "import msgspec", "workers may import only"),
        ("ludus.workers.pool", "import ludus.match.spec", "workers may not import match"),
        ("ludus.games.go.rules", "from ...bots import load", "games may not import bots"),
        (
            "ludus.games.go.rules",
            "from cython.cimports.ludus.learn.search import Tree",
            "games may not import learn",
        ),
        (
            "ludus.bots.load",
            "def f():\n    from ludus.match.clock import Clock",
            "bots may not import match",
        ),
        (
            "ludus.match.referee",
            "if TYPE_CHECKING:\n    import ludus.contest",
            "match may not import contest",
        ),
        (
            "ludus.match.referee",
            "importlib.import_module('ludus.server.db')",
            "match may not import server",
        ),
        ("ludus.contest.standings", "from ludus.server import db", "contest may not import server"),
        ("ludus.rating.elo", "import ludus.contest.model", "rating may not import contest"),
        ("ludus.learn.trainer", "import ludus.match.record", "learn may not import match"),
        ("ludus.server.web.public_routes", "import ludus.compat", "server may not import compat"),
        ("ludus.compat.eraser", "import ludus.cli.main", "compat may not import cli"),
        ("ludus", "from ludus.cli import main", "__init__ may not import cli"),
        ("ludus.lang", "import ludus.games", "lang may not import games"),
        ("ludus.match.clock", "from ludus import Game", "is in no room"),
        ("ludus.match.clock", "import ludus\nludus.Game", "is in no room"),
        ("ludus.match.clock", "import ludus as here", "is in no room"),
        ("ludus.games.go.rules", "import ludus\nludus.__version__", "is in no room"),
        ("ludus.common", "", "is no room"),
    ],
)
def test_the_checker_sees_an_import_that_points_upwards(
    module: str, source: str, sentence: str
) -> None:
    is_package = module == "ludus"
    found = violations(module, source, is_package)
    assert len(found) == 1
    assert sentence in found[0]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("ludus.games.go.rules", "import random\nimport numpy as np\nimport cython"),
        ("ludus.games.go.rules", "from cython.cimports.libc.stdint import uint64_t"),
        ("ludus.games.go.rules", "from ..base import Game\nfrom . import notation"),
        ("ludus.games.go.rules", "from ludus import lang\nfrom ludus.errors import IllegalMove"),
        ("ludus.bots.load", "from ludus.games.base import Game\nimport msgspec"),
        ("ludus.match.record", "from ludus import __version__"),
        ("ludus.match.record", "import ludus\nprint(ludus.__version__)"),
        ("ludus.cli.train", "import ludus.learn.trainer\nfrom ludus.server import db"),
        ("ludus.__main__", "from ludus.cli.main import main"),
        ("ludus.errors", "from ludus.lang import say"),
    ],
)
def test_the_checker_accepts_an_import_that_points_downwards(module: str, source: str) -> None:
    assert violations(module, source) == []


# Files: what a room needs of another comes by an import, an argument or an entry point, and not by
# the path of the other's folder.

DATA_FOLDERS = {"sdk": "bots"}  # folders of the package without modules, and whose they are


def find_path_constants() -> dict[str, PurePosixPath]:
    """The places that are constants of modules, by their full names."""
    found = {}
    for path in python_files():
        source = path.read_text(encoding="utf-8")
        if "__file__" in source or "__path__" in source:
            module, is_package = module_of(path)
            paths = PathReader(module, is_package)
            for node in ast.parse(source).body:
                paths.learn(node)
            found.update({f"{module}.{name}": place for name, place in paths.names.items()})
    return found


def path_violations(
    module: str,
    source: str,
    is_package: bool = False,
    known: Mapping[str, PurePosixPath] = NOTHING_KNOWN,
) -> list[str]:
    """Where a module of ludus reaches into another room by a path, one sentence each."""
    room = module.split(".")[1] if "." in module else "__init__"
    found = []
    for line, name in named_rooms(source, module, is_package, known):
        target = name[len("ludus.") :]
        if target not in {*ALLOWED, *DATA_FOLDERS} - {"__init__"}:
            continue
        if "/" in name and target != room and DATA_FOLDERS.get(target) != room:
            found.append(f"{module}:{line}: {room} may not open files of {target}")
        elif "." in name and (why := objection(room, name)):
            found.append(f"{module}:{line}: {why}")
    return list(dict.fromkeys(found))


def python_files() -> list[Path]:
    templates = SOURCE / "cli" / "templates"
    return [path for path in sorted(SOURCE.rglob("*.py")) if not path.is_relative_to(templates)]


def test_no_room_opens_files_of_another_by_their_path() -> None:
    constants = find_path_constants()
    assert constants["ludus.bots.languages.python.LUDUS_FOLDER"] == PACKAGE
    names = "|".join(re.escape(name.rpartition(".")[2]) for name in constants)
    telling = re.compile(rf"__file__|__path__|[\"'](src/)?ludus[./]|\b({names})\b")
    found = []
    for path in python_files():
        source = path.read_text(encoding="utf-8")
        if telling.search(source):
            module, is_package = module_of(path)
            found += path_violations(module, source, is_package, constants)
    assert not found, "\n" + "\n".join(found)


KNOWN = {"ludus.bots.languages.python.LUDUS_FOLDER": PACKAGE}


@pytest.mark.parametrize(
    ("module", "source", "target"),
    [
        (
            "ludus.bots.engine_bots",
            "NETS = Path(__file__).parent.parent / 'learn' / 'nets'",
            "learn",
        ),
        ("ludus.bots.engine_bots", "HERE = Path(__file__)\nX = HERE.parents[1] / 'learn'", "learn"),
        ("ludus.bots.engine_bots", "X = Path(__file__).parent / '..' / 'learn'", "learn"),
        ("ludus.bots.players.human", "X = Path(__file__).resolve().parents[2] / 'match'", "match"),
        ("ludus.server.bots.kits", "X = Path(ludus.__file__).parent / 'cli' / 'templates'", "cli"),
        (
            "ludus.server.bots.kits",
            "def f(n):\n  return Path(ludus.__path__[0]) / 'cli' / n",
            "cli",
        ),
        ("ludus.server.web.app", "X = os.path.join(os.path.dirname(ludus.__file__), 'cli')", "cli"),
        ("ludus.server.web.app", "X = Path(ludus.__file__).parent.joinpath('learn', 'x')", "learn"),
        ("ludus.match.clock", "X = open('src/ludus/contest/report/style.css')", "contest"),
        (
            "ludus.match.clock",
            "from ludus.bots.languages.python import LUDUS_FOLDER as F\nX = F / 'bots'",
            "bots",
        ),
        (
            "ludus.match.clock",
            "from ludus.bots.languages import python\nX = python.LUDUS_FOLDER / 'bots'",
            "bots",
        ),
    ],
)
def test_the_checker_sees_a_path_into_another_room(module: str, source: str, target: str) -> None:
    room = module.split(".")[1]
    found = path_violations(module, source, known=KNOWN)
    expected = f"{room} may not open files of {target}"
    assert {each.partition(": ")[2] for each in found} == {expected}


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("ludus.bots.load", "X = importlib.resources.files('ludus.learn.nets')"),
        ("ludus.bots.load", "X = pkgutil.get_data('ludus.learn', 'nets/tablut.onnx')"),
        ("ludus.bots.load", "X = importlib.util.find_spec(f'ludus.learn.{name}')"),
        ("ludus.bots.load", "X = 'ludus.learn.engine_bots:SEARCH'"),
    ],
)
def test_the_checker_sees_the_name_of_a_room_above_in_a_string(module: str, source: str) -> None:
    (found,) = path_violations(module, source)
    assert found.endswith("bots may not import learn")


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("ludus.games.go", "X = Path(__file__).parent / 'bots'"),
        ("ludus.bots.load", "X = Path(__file__).parent / 'templates'"),
        ("ludus.bots.languages.cpp", "X = Path(ludus.__file__).parent / 'sdk' / 'cpp'"),
        ("ludus.sandbox.launcher", "X = str(Path(ludus.__file__).parent.parent)"),
        ("ludus.games.registry", "X = ludus_home() / 'games'\nY = Path(folder) / 'server'"),
        ("ludus.cli.serve", "X = 'ludus.compat.reader_process'"),
        ("ludus.bots.load", '"""Not ``ludus.learn``."""\nX = "ludus.toml"\nY = "ludus/1"'),
        ("ludus.bots.engine_bots", "X = entry_points(group='ludus.engine_bots')"),
    ],
)
def test_the_checker_accepts_a_path_into_the_own_room(module: str, source: str) -> None:
    assert path_violations(module, source, is_package=module == "ludus.games.go") == []


TESTS = Path(__file__).resolve().parent


def test_tests_share_only_what_lies_in_support() -> None:
    """A test that imports another test, or a benchmark, breaks when that one changes."""
    wrong = [
        f"{path.relative_to(TESTS)}:{line} imports {name}"
        for path in TESTS.rglob("*.py")
        if "golden" not in path.parts
        for line, name in imported_names(path.read_text("utf-8"), "", False)
        if name.split(".")[0] == "bench"
        or (name.startswith("tests.") and not name.startswith("tests.support."))
    ]
    assert wrong == []
