"""From what a person typed to a bot: a house bot, a file, a folder, a zip or a program."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ludus.bots import archive, engine_bots, manifest
from ludus.bots.build import Recipe
from ludus.bots.find_program import locate, locate_typed
from ludus.bots.imported_files import with_imports, with_includes, with_relative_imports
from ludus.bots.languages import BY_NAME, PYTHON, language_of
from ludus.bots.languages.language import Code, Language, in_system
from ludus.bots.load import hosts
from ludus.bots.protocol import NAME
from ludus.bots.read_source import read_source, refuse_long, unreadable
from ludus.bots.snapshot import snapshot, snapshots
from ludus.bots.source_files import digest_of, files_of
from ludus.bots.static_check import check
from ludus.errors import LudusError
from ludus.escape import one_line, refuse_undecodable
from ludus.games.base import Game
from ludus.sandbox import BOT

PROGRAM = "cmd:"
"""``cmd:./bot --fast`` is a program that speaks protocol ludus/1 on stdin and stdout."""
ZIP = ".zip"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a bot comes from, and what it consists of."""

    name: str
    recipe: Recipe
    trusted: bool = False
    """Our own: may run inside the referee's process."""
    places: tuple[Path, ...] = ()
    """The files and folders that a person named, links followed; none of a bot of ours."""
    brought: tuple[Path, ...] = ()
    """What else of the person's folders it sees, links followed: nobody named it."""

    def __post_init__(self) -> None:
        if "\n" in self.name:
            shown = one_line(self.name)
            raise LudusError(
                f"the name {shown} is several lines; rename the file",
                f"名称 {shown} 有多行；请重命名文件",
            )

    @property
    def digest(self) -> str:
        """SHA-256 of what it consists of."""
        return self.recipe.digest

    @property
    def path(self) -> Path | None:
        """The main file of a Python bot."""
        return self.recipe.python


def find(spec: str, game: Game) -> Source:
    """The bot that a person means at the command line: a name, a path, or a program.

    A LudusError that helps if there is none. Nothing of it is run. What somebody else says is
    looked up by ``find_house`` or, where Ludus itself has put a bot somewhere, by ``find_at``.
    """
    refuse_undecodable(spec)
    if spec.startswith(PROGRAM):
        return _program(spec.removeprefix(PROGRAM))
    if game.finds and (known := _by_game(spec, game)):
        return known
    if house := _of_house(spec, game):
        return house
    if thinker := engine_bots.find(spec, game):
        return _thinker(spec, thinker)
    path = Path(spec).expanduser()
    if not path.exists():
        raise _missing(spec, game)
    return find_at(path, game)


def find_house(name: str, game: Game) -> Source:
    """The bot of a game, or of all games, that has the name; never a path or a command."""
    if house := _of_house(name, game):
        return house
    if name in engine_bots.paths(game) and (thinker := engine_bots.find(name, game)):
        return _thinker(name, thinker)
    raise _missing(name, game)


def find_at(path: Path, game: Game, *, kept: bool = False) -> Source:
    """The bot of a game that is at a path: a file, a folder or a zip.

    ``kept``: Ludus itself keeps it there and nobody changes it, so no copy is made of a folder.
    """
    return _at(path, game if game.speaks == NAME else None, kept)


def _of_house(name: str, game: Game) -> Source | None:
    house = game.bots().get(name)
    if house is None:
        return None
    if game.speaks != NAME:
        return replace(find_program(house), name=name)
    return _house(name, house)


def _by_game(spec: str, game: Game) -> Source | None:
    module, _, name = game.finds.partition(":")
    found: Source | None = getattr(importlib.import_module(module), name)(spec)
    return found


def find_program(path: Path) -> Source:
    """What is at a path as a program of its own, whatever it speaks."""
    if language_of(path) is None and path.is_file() and path.suffix.lower() != ZIP:
        return _program(shlex.quote(str(path.absolute())))
    return _at(path, None)


def is_bot(path: Path) -> bool:
    """Whether there is something that ``find_program`` can make a program of."""
    if path.is_dir():
        return (path / manifest.NAME).is_file()
    return path.is_file() and (language_of(path) is not None or path.suffix.lower() == ZIP)


def _at(path: Path, game: Game | None, kept: bool = False) -> Source:
    """A folder, a zip or a file; without a game, a program of its own."""
    if path.is_dir():
        return _folder(path, path.resolve() if kept else _copied(path), game)
    if not path.is_file():
        raise LudusError(f"{path} is neither a file nor a folder", f"{path} 既不是文件也不是文件夹")
    if path.suffix.lower() == ZIP:
        return _folder(path, archive.unpacked(path), game)
    return _file(path, game, kept)


def _house(name: str, path: Path) -> Source:
    files = {f"{BOT}/{path.name}": path}
    recipe = Recipe(name, files, digest_of(files), PYTHON, _alone(path), python=path)
    return Source(name, recipe, trusted=True)


def _thinker(spec: str, thinker: engine_bots.Thinker) -> Source:
    """A bot of ours that plays every game, with its argument."""
    path, argument = thinker.path, thinker.argument
    files = {f"{BOT}/{path.name}": path}
    if thinker.net is not None:
        files[f"{BOT}/{thinker.net.name}"] = thinker.net
        argument = str(thinker.net)
    digest = hashlib.sha256(f"{digest_of(files)} {thinker.argument}".encode()).hexdigest()
    recipe = Recipe(spec, files, digest, PYTHON, _alone(path), python=path, argument=argument)
    return Source(thinker.name, recipe, trusted=True)


def _alone(path: Path) -> Code:
    return Code(path.name, (path.name,), (path.name,), _text(path))


# A single file


def _file(path: Path, game: Game | None, kept: bool) -> Source:
    refuse_long(path)
    language = language_of(path) or _unnamed(path)
    hosted = language is PYTHON and game is not None
    if hosted and game is not None:
        check(path, game)
    files = _own_files(path.absolute(), language, game)
    brought = tuple(file.resolve() for name, file in files.items() if name != path.name)
    if not kept:
        files = snapshots(files, {path.resolve().parent, path.parent.resolve()})
    run, needs = _interpreted(path.name) if language is PYTHON and not hosted else ((), {})
    recipe = Recipe(
        shown=str(path),
        files={f"{BOT}/{name}": file for name, file in files.items()},
        digest=digest_of(files),
        language=language,
        code=Code(path.name, (path.name,), tuple(files), _text(files[path.name])),
        run=run,
        needs=needs,
        python=path.absolute() if hosted else None,
    )
    return Source(path.stem, recipe, places=(path.resolve(),), brought=brought)


def _interpreted(main: str) -> tuple[tuple[str, ...], dict[str, Path]]:
    """How a Python file runs by itself: with the interpreter and the packages of Ludus."""
    program, needs = locate(sys.executable)
    return (program, f"{BOT}/{main}"), needs


def _unnamed(path: Path) -> Language:
    """A file whose name does not tell its language counts as Python, unless it is a program."""
    if os.access(path, os.X_OK) and _head(path).startswith((b"\x7fELF", b"#!")):
        raise LudusError(
            f"{path} is a program; if it speaks ludus/1, write cmd:{path}",
            f"{path} 是可执行程序；若它使用 ludus/1 协议，请写 cmd:{path}",
        )
    return PYTHON


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(4)
    except OSError as error:
        raise unreadable(path, error) from None


def _own_files(path: Path, language: Language, game: Game | None) -> dict[str, Path]:
    match language.name:
        case "python":
            kinds = hosts(game) if game else []
            return with_imports(path, [name for kind in kinds for name in kind.modules])
        case "c" | "cpp":
            return with_includes(path)
        case "javascript":
            return with_relative_imports(path)
        case _:
            return {path.name: path}


def _text(path: Path) -> str:
    return read_source(path).decode("utf-8", errors="replace")


# A folder


def _copied(path: Path) -> Path:
    """A copy of a folder in which nobody changes anything; one that is no bot is left alone."""
    return snapshot(path.resolve()) if (path / manifest.NAME).is_file() else path


def _folder(shown: Path, folder: Path, game: Game | None) -> Source:
    """A bot of several files: a folder, or what was in a zip."""
    if not (folder / manifest.NAME).is_file():
        what = ("folder", "文件夹") if shown.is_dir() else ("zip", "zip")
        raise LudusError(
            f"{shown} is a {what[0]} without a {manifest.NAME};"
            " name the bot's file in it, or write one",
            f"{shown} 是没有 {manifest.NAME} 的{what[1]}；请给出其中 AI 的文件，或写一个",
        )
    files = files_of(folder)
    said = manifest.read(folder / manifest.NAME, shown / manifest.NAME)
    if game is not None:
        _refuse_other_game(shown, said, game)
    language = BY_NAME.get(said.language)
    code = _code(shown, said, language, files) if language else None
    build, needs = _own_command(shown, said.build)
    run, more = _own_command(shown, said.run)
    if language is PYTHON and code and not run and game is None:
        run, more = _interpreted(code.main)
    hosting = game if language is PYTHON and not run else None
    recipe = Recipe(
        shown=str(shown),
        files=_inside(folder, files, language),
        digest=digest_of(files),
        language=language,
        code=code,
        build=build,
        run=run,
        needs={**needs, **more},
        python=_python_main(shown, folder, code, hosting) if hosting else None,
    )
    place = shown.resolve()
    brought = (place,) if shown.is_dir() else ()
    return Source(said.name or shown.absolute().stem, recipe, places=(place,), brought=brought)


def _refuse_other_game(shown: Path, said: manifest.Manifest, game: Game) -> None:
    if said.plays and game.name not in said.plays:
        raise LudusError(
            f"{shown} plays {', '.join(said.plays)}, not {game.name}, says its {manifest.NAME}",
            f"按 {manifest.NAME}，{shown} 玩的是 {'、'.join(said.plays)}，不是 {game.name}",
        )


def _inside(folder: Path, files: Mapping[str, Path], language: Language | None) -> dict[str, Path]:
    if language and language.apart:
        return {f"{BOT}/{name}": file for name, file in files.items()}
    return {BOT: folder}


def _python_main(shown: Path, folder: Path, code: Code | None, game: Game) -> Path:
    assert code is not None
    check(folder / code.main, game, shown / code.main)
    return folder / code.main


def _code(
    shown: Path, said: manifest.Manifest, language: Language, files: Mapping[str, Path]
) -> Code:
    main = os.path.normpath(said.main or language.main)
    if main not in files:
        if said.build and said.run:
            return Code("", (), tuple(files), "")
        raise LudusError(
            f"{shown} has no {main}; main = … in its {manifest.NAME} names the file to start from",
            f"{shown} 中没有 {main}；请在 {manifest.NAME} 中用 main = … 指定起始文件",
        )
    others = [name for name in files if name.endswith(language.suffixes) and name != main]
    return Code(main, (main, *others), tuple(files), _text(files[main]))


def _own_command(
    shown: Path, command: manifest.Command | None
) -> tuple[tuple[str, ...], dict[str, Path]]:
    """A command of ludus.toml with its program found, and what that program needs to see.

    A program with a slash is one of the bot's own: it is there in the jail, or it is nowhere.
    """
    if command is None:
        return (), {}
    first, *rest = command.command
    if "/" in first:
        return (first, *rest), {}
    program, needs = locate(first)
    if not program:
        raise LudusError(
            f"{shown} needs the program {first!r}, which is not on this machine",
            f"{shown} 需要程序 {first!r}，本机没有",
        )
    return (program, *rest), needs


# A program


def _program(command: str) -> Source:
    try:
        argv = tuple(shlex.split(command))
    except ValueError as error:
        raise LudusError(f"cmd:{command}: {error}", f"cmd:{command}：{error}") from None
    if not argv:
        raise LudusError("cmd: needs a command after it", "cmd: 后面要写命令")
    first = argv[0]
    program, needs = locate_typed(first)
    named = [word for word in argv if os.path.isfile(word) or os.path.isdir(word)]
    own = {word: Path(word).resolve() for word in named if word != first or "/" in first}
    copied = _copied_words(own, needs)
    files = {os.path.abspath(word): path for word, path in copied.items()}
    recipe = Recipe(
        shown=f"cmd:{command}",
        files=files,
        digest=_digest_of_program(argv, {**own, **copied}),
        run=(program or first, *argv[1:]),
        needs={place: path for place, path in needs.items() if place not in files},
        cwd=os.getcwd(),
    )
    return Source(Path(first).name, recipe, places=tuple(own.values()))


def _copied_words(own: Mapping[str, Path], needs: Mapping[str, Path]) -> dict[str, Path]:
    """Copies of the files that a command names.

    Of none that a jail shows anyway, read-only, so that nothing can be put in its place: in the
    system's folders, and in the prefix of the program that is run.
    """

    def is_there(word: str) -> bool:
        place = os.path.abspath(word)
        if in_system(place) and in_system(str(own[word])):
            return True
        return any(place.startswith(f"{prefix}/") for prefix in needs)

    files = {word: path for word, path in own.items() if not is_there(word)}
    return snapshots(files, {path.parent for path in files.values()})


def _digest_of_program(argv: tuple[str, ...], own: Mapping[str, Path]) -> str:
    """Of a program alone that of its file, else of the command and the files that it names."""
    if len(argv) == 1 or not own:
        return digest_of(own) if own else ""
    return hashlib.sha256(f"{shlex.join(argv)}\n{digest_of(own)}".encode()).hexdigest()


# What is no bot


def _missing(spec: str, game: Game) -> LudusError:
    house = [*game.bots(), *engine_bots.names()]
    near = difflib.get_close_matches(spec, house, n=1)
    hint_en = f"; did you mean {near[0]!r}?" if near else f"; house bots: {', '.join(house)}"
    hint_zh = f"；是不是 {near[0]!r}？" if near else f"；自带 AI：{'、'.join(house)}"
    return LudusError(
        f"there is no file and no house bot of {game.name} called {spec!r}{hint_en}",
        f"{game.name} 没有名为 {spec!r} 的文件或自带 AI{hint_zh}",
    )
