"""Writes new games from the templates beside this file, and new bots from those of ``ludus.bots``.

A template's name ends in ``.tmpl``; names in double underscores are placeholders, also in paths.
"""

from __future__ import annotations

import importlib.util
import json
import keyword
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ludus.bots.bot_kit import make_bot_kit
from ludus.bots.bot_templates import (
    NATIVE_DIALECT,
    SOURCE_SUFFIXES,
    TEMPLATE_SUFFIX,
    BotTemplate,
    fill_template,
    find_template,
    to_one_line,
)
from ludus.errors import LudusError
from ludus.games.base import Game
from ludus.games.registry import names
from ludus.home import refuse_irregular
from ludus.os_errors import describe_os_error

GAME_TEMPLATES = Path(__file__).parent / "templates"
COMMENT_LANGUAGES = ("en", "zh")


def write_game(name: str, folder: Path, title: str | None = None) -> list[Path]:
    """Write a small installable game into ``folder/name``, completely or not at all."""
    words = {"__DASHED__": name.replace("_", "-"), "__CLASS__": class_name(name)}
    return _write_game(name, folder, title, read_templates("game"), words)


def write_saiblo_game(
    name: str, folder: Path, title: str | None = None, language: str = "python"
) -> list[Path]:
    """Write a small game for Saiblo into ``folder/name``, its logic in Python or C++."""
    logic = f"logic{SOURCE_SUFFIXES[language]}"
    chosen = {
        path: text for path, text in read_templates("saiblo_logic").items() if path.stem == logic
    }
    return _write_game(name, folder, title, read_templates("saiblo") | chosen, {"__LOGIC__": logic})


def _write_game(
    name: str,
    folder: Path,
    title: str | None,
    forms: Mapping[Path, str],
    more: Mapping[str, str],
) -> list[Path]:
    refuse_bad_game_name(name)
    target = folder / name
    if target.exists():
        raise already_exists_error(target)
    words = {
        "__NAME__": name,
        "__TITLE__": json.dumps(to_one_line(title or "") or name, ensure_ascii=False),
        "__HEADING__": to_one_line(title or "") or name,
        **more,
    }
    texts = {
        Path(name, fill_template(str(path), words).removesuffix(TEMPLATE_SUFFIX)): fill_template(
            text, words
        )
        for path, text in forms.items()
    }
    try:
        write_atomically(texts, target)
    except OSError as error:
        raise cannot_write_error(target, error) from None
    return [folder / path for path in sorted(texts)]


def write_bot(
    path: Path,
    game: Game,
    dialect: str | None = None,
    lang: str = "en",
    language: str | None = None,
    called: str | None = None,
) -> Path:
    """Write a working bot: with ``native`` or None in Ludus' API, else in one of the game's own.

    ``language`` is by default that of the file's suffix, or Python; ``called`` is the game as named
    on the command line.
    """
    known = {suffix: name for name, suffix in SOURCE_SUFFIXES.items()}
    language = language or known.get(path.suffix, "python")
    suffix = SOURCE_SUFFIXES[language]
    path = path if path.suffix else path.with_suffix(suffix)
    refuse_bad_bot_path(path, suffix)
    template = require_template(game, dialect or NATIVE_DIALECT, language, lang)
    text = template.fill(game, lang, path.name, game_name=called or "")
    try:
        write_atomically({Path(path.name): text}, path)
    except OSError as error:
        raise cannot_write_error(path, error) from None
    return path


def write_bot_folder(
    folder: Path,
    game: Game,
    dialect: str | None = None,
    lang: str = "en",
    language: str | None = None,
    called: str | None = None,
) -> Path:
    """Write a bot as a folder with a test, a README and settings for VS Code; returns the folder.

    The arguments are those of ``write_bot``.
    """
    language = language or "python"
    if folder.suffix:
        raise LudusError(
            f"a bot's folder has no suffix, got {folder.name!r}; its programming language is given"
            f" with --language {' or '.join(SOURCE_SUFFIXES)}",
            f"AI 的文件夹名不带后缀，得到 {folder.name!r}；编程语言用 --language"
            f" {' 或 '.join(SOURCE_SUFFIXES)} 指明",
        )
    if folder.exists():
        raise already_exists_error(folder)
    template = require_template(game, dialect or NATIVE_DIALECT, language, lang)
    texts = make_bot_kit(
        game, template, folder.name, lang, game_name=called or "", python=sys.executable
    )
    try:
        write_atomically({folder.name / path: text for path, text in texts.items()}, folder)
    except OSError as error:
        raise cannot_write_error(folder, error) from None
    return folder


def read_templates(kind: str) -> dict[Path, str]:
    """The templates below a folder, by their path in it."""
    root = GAME_TEMPLATES / kind
    files = sorted(root.rglob(f"*{TEMPLATE_SUFFIX}"))
    return {file.relative_to(root): file.read_text(encoding="utf-8") for file in files}


def class_name(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def write_atomically(texts: Mapping[Path, str], target: Path) -> None:
    """Write files to a temporary folder, then move the target (a file or folder) into place."""
    refuse_irregular(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        for path, text in texts.items():
            file = aside / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        (aside / target.name).rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def refuse_bad_game_name(name: str) -> None:
    plain = name.isascii() and name.isidentifier() and name == name.lower()
    if not plain or name.startswith("_") or name.endswith("_"):
        raise LudusError(
            "a game's name is made of lower-case letters, digits and underscores, begins with a"
            f" letter and does not end with an underscore, like 'four_stones'; got {name!r}",
            "游戏名由小写字母、数字和下划线组成，以字母开头，不以下划线结尾，例如 'four_stones'；"
            f"得到 {name!r}",
        )
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise LudusError(
            f"{name!r} is a word of the Python language; choose another name",
            f"{name!r} 是 Python 的关键字；请换一个名字",
        )
    if name in names():
        raise LudusError(
            f"there is a game {name!r} already; choose another name",
            f"已经有游戏 {name!r}；请换一个名字",
        )
    if is_module(name):
        raise LudusError(
            f"{name!r} is the name of an installed Python module; choose another name",
            f"{name!r} 与已安装的 Python 模块同名；请换一个名字",
        )


def is_module(name: str) -> bool:
    """Whether importing that name would find something else than a mere folder."""
    if name in sys.stdlib_module_names:
        return True
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.origin is not None


def refuse_bad_bot_path(path: Path, suffix: str = ".py") -> None:
    if path.suffix and path.suffix not in SOURCE_SUFFIXES.values():
        *known, last = SOURCE_SUFFIXES.values()
        raise LudusError(
            f"a bot's file ends in {', '.join(known)} or {last}, got {path.name!r}",
            f"AI 的文件名以 {'、'.join(known)} 或 {last} 结尾，得到 {path.name!r}",
        )
    if path.suffix != suffix:
        raise LudusError(
            f"a bot's file ends in {suffix}, got {path.name!r}",
            f"AI 的文件名以 {suffix} 结尾，得到 {path.name!r}",
        )
    if suffix == ".py" and path.stem in sys.stdlib_module_names:
        raise LudusError(
            f"{path.name} would hide Python's own module {path.stem!r}; choose another name",
            f"{path.name} 会遮住 Python 自带的模块 {path.stem!r}；请换一个名字",
        )
    if path.exists():
        raise already_exists_error(path)


def require_template(game: Game, dialect: str, language: str, lang: str) -> BotTemplate:
    """The template that a person asks for, or a LudusError that says what there is."""
    known = [NATIVE_DIALECT, *game.dialects]
    suffix = SOURCE_SUFFIXES[language]
    if suffix != ".py" and dialect != NATIVE_DIALECT:
        raise LudusError(
            f"bots in the dialect {dialect!r} are written in Python",
            f"{dialect!r} 接口的 AI 用 Python 编写",
        )
    if dialect not in known:
        raise LudusError(
            f"{game.name} has no dialect {dialect!r}; there are: {', '.join(known)}",
            f"{game.name} 没有接口 {dialect!r}；现有：{'、'.join(known)}",
        )
    if lang not in COMMENT_LANGUAGES:
        raise LudusError(
            f"comments are written in {' or '.join(COMMENT_LANGUAGES)}, not in {lang!r}",
            f"注释只能用 {' 或 '.join(COMMENT_LANGUAGES)}，不能用 {lang!r}",
        )
    if template := find_template(game, dialect, language, lang):
        return template
    if dialect == NATIVE_DIALECT:
        raise LudusError(
            f"there is no template for {suffix} bots of {game.name}; .py and .cpp have one",
            f"{game.name} 没有 {suffix} 的模板；有 .py 和 .cpp 的模板",
        )
    raise LudusError(
        f"there is no template for {dialect!r} bots of {game.name}; try dialect {NATIVE_DIALECT!r}",
        f"{game.name} 的 {dialect!r} 接口没有模板；可以用 {NATIVE_DIALECT!r}",
    )


def already_exists_error(path: Path) -> LudusError:
    return LudusError(
        f"{path} exists already; nothing was written", f"{path} 已经存在；没有写入任何内容"
    )


def cannot_write_error(path: Path, error: OSError) -> LudusError:
    why = describe_os_error(error)
    return LudusError(f"cannot write {path}: {why.en}", f"无法写入 {path}：{why.zh}")
