"""Which folders of the package a module reaches by a path or names in a string, told from its text.

It does not run the module, so a path that is put together from arguments stays unseen.
"""

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

PACKAGE = PurePosixPath("/ludus")  # where paths are thought to lie
NAMED = re.compile(r"(?:src/)?ludus([./])([a-z_0-9]+)(?:[./:]|$)")
NOTHING_KNOWN: Mapping[str, PurePosixPath] = {}
SAME_PATH = {"Path", "PurePath", "str", "fspath", "resolve", "absolute", "abspath", "realpath"}


def named_rooms(
    source: str,
    module: str,
    is_package: bool = False,
    known: Mapping[str, PurePosixPath] = NOTHING_KNOWN,
) -> Iterator[tuple[int, str]]:
    """What a module names by a path (``ludus/learn``) or in a string (``ludus.learn``) of the
    folders and modules of the package, with the line.

    Paths are followed from ``__file__`` through the constants of the module, and through those of
    other modules that are ``known`` by their full names.
    """
    tree = ast.parse(source)
    paths = PathReader(module, is_package, known)
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        paths.learn(node)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in texts and (found := NAMED.match(node.value)):
                yield node.lineno, f"ludus{found[1]}{found[2]}"
        elif isinstance(node, ast.expr) and (name := _top_name(paths.read(node))):
            yield node.lineno, f"ludus/{name}"


def _top_name(place: PurePosixPath | None) -> str:
    """The folder or module of the package in which a place lies, if it lies in one."""
    if place is None or place == PACKAGE or not place.is_relative_to(PACKAGE):
        return ""
    return place.parts[len(PACKAGE.parts)].removesuffix(".py")


class PathReader:
    """Finds out which place of the package an expression means, as far as its text tells."""

    def __init__(
        self, module: str, is_package: bool, known: Mapping[str, PurePosixPath] = NOTHING_KNOWN
    ) -> None:
        self.module, self.known = module, known
        inside = module.split(".")[1:]
        name = [*inside, "__init__"] if is_package else inside
        self.file = PACKAGE.joinpath(*name).with_suffix(".py")
        self.names: dict[str, PurePosixPath] = {}
        self.modules: dict[str, str] = {}

    def learn(self, node: ast.AST) -> None:
        """Remember what an assignment or an import makes of a name."""
        if isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                self.modules[alias.asname or alias.name] = full
                if full in self.known:
                    self.names[alias.asname or alias.name] = self.known[full]
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            place = self.read(node.value)
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name) and place is not None:
                    self.names[target.id] = place

    def read(self, node: ast.expr) -> PurePosixPath | None:
        """The place, or None if it cannot be told."""
        match node:
            case ast.Name(id="__file__"):
                return self.file
            case ast.Name(id=name):
                return self.names.get(name)
            case ast.Attribute(value=ast.Name(id="ludus"), attr="__file__"):
                return PACKAGE / "__init__.py"
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id="ludus"), attr="__path__")):
                return PACKAGE
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in self.modules:
                return self.known.get(f"{self.modules[name]}.{attr}")
            case ast.Attribute(value=inner, attr="parent"):
                return self.up(inner, 0)
            case ast.Subscript(
                value=ast.Attribute(value=inner, attr="parents"), slice=ast.Constant(value=number)
            ):
                return self.up(inner, number)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return self.join(left, [right])
            case ast.Call(func=ast.Attribute(value=inner, attr="joinpath"), args=parts):
                return self.join(inner, parts)
            case ast.Call(args=[first, *more]) if _called_name(node) == "join":
                return self.join(first, more)
            case ast.Call(args=[only]) if _called_name(node) == "dirname":
                return self.up(only, 0)
            case ast.Call(args=[only]) if _called_name(node) in SAME_PATH:
                return self.read(only)
            case ast.Call(func=ast.Attribute(value=inner), args=[]):
                return self.read(inner) if _called_name(node) in SAME_PATH else None
        return None

    def up(self, node: ast.expr, number: int) -> PurePosixPath | None:
        place = self.read(node)
        return None if place is None else [*place.parents, PurePosixPath("/")][number]

    def join(self, node: ast.expr, parts: Sequence[ast.expr]) -> PurePosixPath | None:
        """The place with its parts added; without the last ones if those are not in the text."""
        place = self.read(node)
        for part in parts if place is not None else ():
            if not isinstance(part, ast.Constant) or not isinstance(part.value, str):
                break
            place = PurePosixPath(posixpath.normpath(place / part.value))
        return place


def _called_name(call: ast.Call) -> str:
    return getattr(call.func, "attr", None) or getattr(call.func, "id", "")
