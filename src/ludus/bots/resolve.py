"""Finds the bot that the user names: a house bot, a file, a folder, a zip, a program or a seat."""

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

from ludus.bots import archive, engine_bots, manifest, seat_schemes
from ludus.bots.bot_protocols import adapt_build, recognize_protocol
from ludus.bots.build import BuildSpec
from ludus.bots.command_source import prepare_command
from ludus.bots.find_program import locate
from ludus.bots.imported_files import collect_imports, collect_includes, collect_relative_imports
from ludus.bots.languages.base import BotCode, Language
from ludus.bots.languages.registry import BY_NAME, BY_SUFFIX, PYTHON, language_of
from ludus.bots.load import NoBotDefined, host_types
from ludus.bots.protocol import PROTOCOL_NAME
from ludus.bots.read_source import read_source, refuse_long_source, unreadable_error
from ludus.bots.snapshot import snapshot_files, snapshot_folder
from ludus.bots.source_files import compute_digest, list_bot_files
from ludus.bots.static_check import check_bot_file
from ludus.called import program_name
from ludus.errors import LudusError
from ludus.escape import escape_to_one_line, refuse_undecodable
from ludus.games.base import Game
from ludus.sandbox import BOT_FOLDER

COMMAND_PREFIX = "cmd:"
"""``cmd:./bot --fast`` is a program that uses protocol ludus/1 on stdin and stdout."""
HUMAN_NAME = "human"
"""What people type who want to play themselves."""
ZIP_SUFFIX = ".zip"
NET_SUFFIX = ".onnx"
PYTHON_MAIN = "__main__.py"
"""What Python runs when it is given a folder or a zip."""


@dataclass(frozen=True, slots=True)
class BotSource:
    """A bot that was found: its name, its files and how to build it."""

    name: str
    build_spec: BuildSpec
    trusted: bool = False
    """A house bot: may run inside the referee's process."""
    named_paths: tuple[Path, ...] = ()
    """The files and folders that the user named, links followed; empty for house bots."""
    extra_paths: tuple[Path, ...] = ()
    """Other files of the user that the bot can see, links followed."""
    protocol: str = PROTOCOL_NAME
    """What it speaks; one of ``bot_protocols`` if it is not ludus/1."""
    unjailed: bool = False
    """A program that the user trusts: it runs without a jail."""

    def __post_init__(self) -> None:
        if "\n" in self.name:
            shown = escape_to_one_line(self.name)
            raise LudusError(
                f"the name {shown} has several lines; rename the file",
                f"名称 {shown} 有多行；请重命名文件",
            )

    @property
    def digest(self) -> str:
        """SHA-256 of its files."""
        return self.build_spec.digest

    @property
    def has_program(self) -> bool:
        """Whether a program of its own plays, which needs a jail unless it is trusted."""
        spec = self.build_spec
        return bool(spec.run or spec.language)

    @property
    def path(self) -> Path | None:
        """The main file of a Python bot."""
        return self.build_spec.python


def resolve_bot(
    spec: str, game: Game, *, trust: bool = False, typed: str | None = None
) -> BotSource:
    """The bot that the user names on the command line: a name, a path, a program or a seat.

    ``trust``: a program that is named by its command (``cmd:``, ``gtp:``) runs without a jail.
    ``typed``: what the user wrote, if it was not ``spec``, for the message that there is none.
    Raises LudusError with a hint if it is not found; never runs the bot. Use it only for the user's
    own input: names sent over the network are resolved by ``resolve_house_bot``, uploaded bots by
    ``resolve_bot_at``.
    """
    refuse_undecodable(spec)
    if spec.startswith(COMMAND_PREFIX):
        source = resolve_command(spec.removeprefix(COMMAND_PREFIX), "cmd")
        return replace(source, unjailed=trust)
    if game.finds and (known := _find_by_game(spec, game)):
        return known
    if house := _find_house_bot(spec, game):
        return house
    if engine := engine_bots.find_engine_bot(spec, game):
        return _engine_source(spec, engine)
    if seat_schemes.has_scheme(spec):
        source = seat_schemes.open_seat(spec, game)
        return replace(source, unjailed=trust and source.has_program)
    path = Path(spec).expanduser()
    if not path.exists():
        raise _not_found_error(typed or spec, game)
    return resolve_bot_at(path, game)


def list_house_bots(game: Game) -> dict[str, Path]:
    """The bots that ``resolve_house_bot`` finds by these very names, each with its file: those of
    the game first."""
    own = game.bots()
    return {
        **own,
        **{n: path for n, path in engine_bots.engine_paths(game).items() if n not in own},
    }


def resolve_house_bot(name: str, game: Game) -> BotSource:
    """The house bot of a game, or of all games, by name; never a path or a command. An engine
    may have its number of simulations: ``search:200``."""
    if house := _find_house_bot(name, game):
        return house
    known = name in engine_bots.engine_paths(game) or engine_bots.is_numbered_engine(name)
    if known and (engine := engine_bots.find_engine_bot(name, game)):
        return _engine_source(name, engine)
    raise _not_found_error(name, game)


def resolve_command(command: str, scheme: str, protocol: str = PROTOCOL_NAME) -> BotSource:
    """The program of a command that the user wrote as ``SCHEME:COMMAND``."""
    name, build_spec, own_files = prepare_command(command, scheme)
    return BotSource(name, build_spec, named_paths=own_files, protocol=protocol)


def resolve_bot_at(path: Path, game: Game | None, *, kept: bool = False) -> BotSource:
    """The bot at a path: a file, a folder or a zip. Without a game, or in a game that does not
    speak our protocol, it is a program of its own.

    ``kept``: the files are in a folder of Ludus where they never change, so no copy is made.
    """
    if game is not None and game.speaks != PROTOCOL_NAME:
        game = None
    if path.is_dir():
        return _folder_source(path, path.resolve() if kept else _copy_folder(path), game)
    if not path.is_file():
        raise LudusError(f"{path} is neither a file nor a folder", f"{path} 既不是文件也不是文件夹")
    if path.suffix.lower() == ZIP_SUFFIX:
        return _folder_source(path, archive.unpack_to_cache(path), game)
    return _file_source(path, game, kept)


def _find_house_bot(name: str, game: Game) -> BotSource | None:
    house = game.bots().get(name)
    if house is None:
        return None
    if game.speaks != PROTOCOL_NAME:
        return replace(resolve_program(house), name=name)
    return _house_source(name, house)


def _find_by_game(spec: str, game: Game) -> BotSource | None:
    module, _, name = game.finds.partition(":")
    source: BotSource | None = getattr(importlib.import_module(module), name)(spec)
    return source


def resolve_program(path: Path) -> BotSource:
    """The file, folder or zip at a path as a program of its own, with any protocol."""
    if language_of(path) is None and path.is_file() and path.suffix.lower() != ZIP_SUFFIX:
        return resolve_command(shlex.quote(str(path.absolute())), "cmd")
    return resolve_bot_at(path, None)


def is_bot(path: Path) -> bool:
    """Whether ``resolve_program`` accepts the path."""
    if path.is_dir():
        return (path / manifest.MANIFEST_NAME).is_file()
    return path.is_file() and (language_of(path) is not None or path.suffix.lower() == ZIP_SUFFIX)


def _house_source(name: str, path: Path) -> BotSource:
    files = {f"{BOT_FOLDER}/{path.name}": path}
    build_spec = BuildSpec(
        name, files, compute_digest(files), PYTHON, _single_file_code(path), python=path
    )
    return BotSource(name, build_spec, trusted=True)


def _engine_source(spec: str, engine: engine_bots.EngineBot) -> BotSource:
    """An engine bot with its argument."""
    path, argument = engine.path, engine.argument
    files = {f"{BOT_FOLDER}/{path.name}": path}
    for net in engine.shipped_nets:
        files[f"{BOT_FOLDER}/{net.name}"] = net
    if engine.net is not None:
        files[f"{BOT_FOLDER}/{engine.net.name}"] = engine.net
        argument = str(engine.net)
    digest = hashlib.sha256(f"{compute_digest(files)} {engine.argument}".encode()).hexdigest()
    build_spec = BuildSpec(
        spec, files, digest, PYTHON, _single_file_code(path), python=path, argument=argument
    )
    return BotSource(engine.name, build_spec, trusted=True)


def _single_file_code(path: Path) -> BotCode:
    return BotCode(path.name, (path.name,), (path.name,), _read_text(path))


# A single file


def _file_source(path: Path, game: Game | None, kept: bool) -> BotSource:
    refuse_long_source(path)
    language = language_of(path) or _guess_language(path)
    protocol = _choose_protocol(path, language, _single_file_code(path), game)
    hosted = language is PYTHON and game is not None and protocol == PROTOCOL_NAME
    files = _collect_own_files(path.absolute(), language, game)
    extra = tuple(file.resolve() for name, file in files.items() if name != path.name)
    if not kept:
        files = snapshot_files(files, {path.resolve().parent, path.parent.resolve()})
    run, needs = _python_command(path.name) if language is PYTHON and not hosted else ((), {})
    build_spec = BuildSpec(
        display_name=str(path),
        files={f"{BOT_FOLDER}/{name}": file for name, file in files.items()},
        digest=compute_digest(files),
        language=language,
        code=BotCode(path.name, (path.name,), tuple(files), _read_text(files[path.name])),
        run=run,
        command_files=needs,
        python=path.absolute() if hosted else None,
    )
    return BotSource(
        path.stem,
        adapt_build(protocol, build_spec),
        named_paths=(path.resolve(),),
        extra_paths=extra,
        protocol=protocol,
    )


def _choose_protocol(
    path: Path, language: Language, code: BotCode, game: Game | None, shown: Path | None = None
) -> str:
    """The protocol that the bot's source shows it to speak.

    LudusError if it is a Python file that neither defines a bot of the game nor speaks another
    protocol; ``shown`` is its path in messages.
    """
    if game is None:
        return PROTOCOL_NAME
    if language is not PYTHON:
        return recognize_protocol(language, code)
    try:
        check_bot_file(path, game, shown)
    except NoBotDefined:
        if (protocol := recognize_protocol(language, code)) == PROTOCOL_NAME:
            raise
        return protocol
    return PROTOCOL_NAME


def _python_command(main: str) -> tuple[tuple[str, ...], dict[str, Path]]:
    """The command that runs a Python file by itself, with the interpreter of Ludus."""
    program, needs = locate(sys.executable)
    return (program, f"{BOT_FOLDER}/{main}"), needs


def _guess_language(path: Path) -> Language:
    """A file without a suffix counts as Python, unless it is an executable."""
    if os.access(path, os.X_OK) and _read_head(path).startswith((b"\x7fELF", b"#!")):
        raise LudusError(
            f"{path} is a program; if it uses protocol ludus/1, write {_as_command(path)}",
            f"{path} 是可执行程序；若它使用 ludus/1 协议，请写 {_as_command(path)}",
        )
    if path.suffix.lower() == NET_SUFFIX:
        raise LudusError(
            f"{path} is a network; write learned:{path}", f"{path} 是网络；请写 learned:{path}"
        )
    if path.suffix:
        known = ", ".join([*BY_SUFFIX, ZIP_SUFFIX])
        raise LudusError(
            f"{path} is not a bot: what can be played ends in {known}, is a folder with a"
            f" {manifest.MANIFEST_NAME}, or a program ({_as_command(path)})",
            f"{path} 不是 AI：可用的是以 {known} 结尾的文件、含 {manifest.MANIFEST_NAME} 的文件夹，"
            f"或程序（{_as_command(path)}）",
        )
    return PYTHON


def _as_command(path: Path) -> str:
    """How a user names the program at a path: a bare name would be looked for in PATH."""
    program = path if os.sep in str(path) else f"{os.curdir}{os.sep}{path}"
    return shlex.quote(f"{COMMAND_PREFIX}{shlex.quote(str(program))}")


def _read_head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(4)
    except OSError as error:
        raise unreadable_error(path, error) from None


def _collect_own_files(path: Path, language: Language, game: Game | None) -> dict[str, Path]:
    match language.name:
        case "python":
            kinds = host_types(game) if game else []
            return collect_imports(path, [name for kind in kinds for name in kind.modules])
        case "c" | "cpp":
            return collect_includes(path)
        case "javascript":
            return collect_relative_imports(path)
        case _:
            return {path.name: path}


def _read_text(path: Path) -> str:
    return read_source(path).decode("utf-8", errors="replace")


# A folder


def _copy_folder(path: Path) -> Path:
    """A snapshot of a bot's folder; a folder that is not a bot is returned as it is."""
    names = (manifest.MANIFEST_NAME, PYTHON_MAIN)
    is_one = any((path / name).is_file() for name in names)
    return snapshot_folder(path.resolve()) if is_one else path


def _read_facts(shown: Path, folder: Path) -> manifest.BotManifest:
    """The manifest of a bot's folder. It may be left out where Python itself would know what to
    run: a folder or zip with a ``__main__.py``."""
    if (folder / manifest.MANIFEST_NAME).is_file():
        name = manifest.MANIFEST_NAME
        return manifest.read_manifest(folder / name, shown / name)
    if (folder / PYTHON_MAIN).is_file():
        return manifest.BotManifest(language=PYTHON.name, main=PYTHON_MAIN)
    what = ("folder", "文件夹") if shown.is_dir() else ("zip", "zip")
    raise LudusError(
        f"{shown} is a {what[0]} without a {manifest.MANIFEST_NAME};"
        " name the bot's file in it, or add one",
        f"{shown} 是没有 {manifest.MANIFEST_NAME} 的{what[1]}；请给出其中 AI 的文件，或添加一个",
    )


def _folder_source(shown: Path, folder: Path, game: Game | None) -> BotSource:
    """A bot that is a folder, or an unpacked zip; ``shown`` is its path in messages."""
    facts = _read_facts(shown, folder)
    files = list_bot_files(folder)
    if game is not None:
        _refuse_other_game(shown, facts, game)
    language = BY_NAME.get(facts.language)
    code = _make_code(shown, facts, language, files) if language else None
    build, needs = _locate_command(shown, facts.build)
    run, more = _locate_command(shown, facts.run)
    protocol = facts.protocol or PROTOCOL_NAME
    if not facts.protocol and language and code and code.main and not run:
        protocol = _choose_protocol(folder / code.main, language, code, game, shown / code.main)
    hosting = game if protocol == PROTOCOL_NAME else None
    if language is PYTHON and code and not run and hosting is None:
        run, more = _python_command(code.main)
    if language is not PYTHON or run:
        hosting = None
    build_spec = BuildSpec(
        display_name=str(shown),
        files=_paths_inside(folder, files, language),
        digest=compute_digest(files),
        language=language,
        code=code,
        build=build,
        run=run,
        command_files={**needs, **more},
        python=folder / code.main if hosting and code else None,
    )
    place = shown.resolve()
    extra = (place,) if shown.is_dir() else ()
    return BotSource(
        facts.name or shown.absolute().stem,
        adapt_build(protocol, build_spec),
        named_paths=(place,),
        extra_paths=extra,
        protocol=protocol,
    )


def _refuse_other_game(shown: Path, facts: manifest.BotManifest, game: Game) -> None:
    if facts.supported_games and game.name not in facts.supported_games:
        raise LudusError(
            f"{shown} plays {', '.join(facts.supported_games)}, not {game.name}, according to its"
            f" {manifest.MANIFEST_NAME}",
            f"按 {manifest.MANIFEST_NAME}，{shown} 玩的是"
            f" {'、'.join(facts.supported_games)}，不是 {game.name}",
        )


def _paths_inside(
    folder: Path, files: Mapping[str, Path], language: Language | None
) -> dict[str, Path]:
    if language and language.apart:
        return {f"{BOT_FOLDER}/{name}": file for name, file in files.items()}
    return {BOT_FOLDER: folder}


def _make_code(
    shown: Path, facts: manifest.BotManifest, language: Language, files: Mapping[str, Path]
) -> BotCode:
    main = os.path.normpath(facts.main or language.main)
    if main not in files:
        if facts.build and facts.run:
            return BotCode("", (), tuple(files), "")
        raise LudusError(
            f"{shown} has no {main}; main = … in its {manifest.MANIFEST_NAME} names the"
            " file to start from",
            f"{shown} 中没有 {main}；请在 {manifest.MANIFEST_NAME} 中用 main = … 指定起始文件",
        )
    others = [name for name in files if name.endswith(language.suffixes) and name != main]
    return BotCode(main, (main, *others), tuple(files), _read_text(files[main]))


def _locate_command(
    shown: Path, command: manifest.ManifestCommand | None
) -> tuple[tuple[str, ...], dict[str, Path]]:
    """A command of ludus.toml with the path of its program, and the files which that needs.

    A program with a slash is one of the bot's own: it is resolved inside the jail.
    """
    if command is None:
        return (), {}
    first, *rest = command.command
    if "/" in first:
        return (first, *rest), {}
    program, needs = locate(first)
    if not program:
        raise LudusError(
            f"{shown} needs the program {first!r}, which is not installed",
            f"{shown} 需要程序 {first!r}，本机未安装",
        )
    return (program, *rest), needs


# Nothing found


def _not_found_error(spec: str, game: Game) -> LudusError:
    if spec == HUMAN_NAME:
        return _people_play_elsewhere()
    house = list(list_house_bots(game))
    near = difflib.get_close_matches(spec, house, n=1)
    hint_en = f"; did you mean {near[0]!r}?" if near else f"; house bots: {', '.join(house)}"
    hint_zh = f"；是不是 {near[0]!r}？" if near else f"；自带 AI：{'、'.join(house)}"
    return LudusError(
        f"there is no file and no house bot of {game.name} called {spec!r}{hint_en}",
        f"{game.name} 没有名为 {spec!r} 的文件或自带 AI{hint_zh}",
        code="unknown_bot",
    )


def _people_play_elsewhere() -> LudusError:
    return LudusError(
        f"'human' is not a bot: people play on the page, which {program_name()} serve starts",
        f"'human' 不是 AI：人在网页上玩，用 {program_name()} serve 启动网页",
        code="unknown_bot",
    )
