"""``ludus.toml``: the manifest of a bot that is a folder."""

from __future__ import annotations

import tomllib
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import msgspec

from ludus.bots.bot_protocols import protocol_names
from ludus.bots.languages.registry import BY_NAME
from ludus.errors import LudusError
from ludus.os_errors import describe_os_error

MANIFEST_NAME = "ludus.toml"
MAX_MANIFEST_BYTES = 16 << 10
"""The largest manifest: a longer dotted key would keep the TOML parser busy for seconds."""

Word = Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]
Argv = Annotated[list[Word], msgspec.Meta(min_length=1, max_length=100)]


class ManifestCommand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program and its arguments, run in the bot's folder without a shell."""

    command: Argv


class BotManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of ``ludus.toml``."""

    name: Annotated[str, msgspec.Meta(max_length=60)] = ""
    """The bot's name; by default that of the folder."""
    language: str = ""
    """One of ``ludus.bots.languages.registry``; not needed with a ``[run]`` command."""
    main: str = ""
    """The main file; each language has a default."""
    game: str = ""
    games: list[str] = []
    """The games it plays; without ``game`` and ``games`` it may play any."""
    build: ManifestCommand | None = None
    """The build command in place of the language's; it writes to /out."""
    run: ManifestCommand | None = None
    """The start command in place of the language's."""
    protocol: str = ""
    """What the bot speaks; by default ludus/1, or what its source shows."""

    @property
    def supported_games(self) -> list[str]:
        return [*([self.game] if self.game else []), *self.games]


SECTION_FIELDS = {
    "": BotManifest.__struct_fields__,
    "build": ManifestCommand.__struct_fields__,
    "run": ManifestCommand.__struct_fields__,
}


def read_manifest(path: Path, shown: Path) -> BotManifest:
    """Read a manifest; LudusError if it is invalid. ``shown`` is its path in messages."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_MANIFEST_BYTES + 1)
    except OSError as error:
        why = describe_os_error(error)
        raise LudusError(f"cannot read {shown}: {why.en}", f"无法读取 {shown}：{why.zh}") from None
    return parse_manifest(data, shown)


def parse_manifest(data: bytes, path: Path | str) -> BotManifest:
    """Parse the bytes of a manifest; ``path`` is its path in messages."""
    if len(data) > MAX_MANIFEST_BYTES:
        most = MAX_MANIFEST_BYTES >> 10
        raise LudusError(f"{path} is too long: at most {most} kB", f"{path} 过长：最多 {most} kB")
    try:
        given = tomllib.loads(data.decode())
    except (ValueError, RecursionError, MemoryError) as error:
        raise LudusError(
            f"{path} is not valid TOML: {error}", f"{path} 不是有效的 TOML：{error}"
        ) from None
    _refuse_unknown(path, given)
    try:
        manifest = msgspec.convert(given, BotManifest)
    except msgspec.ValidationError as error:
        raise LudusError(f"{path}: {error}", f"{path} 的内容有误：{error}") from None
    _refuse_contradictions(path, manifest)
    return manifest


def _refuse_unknown(path: Path | str, given: dict[str, Any]) -> None:
    for table, known in SECTION_FIELDS.items():
        inside = given.get(table, {}) if table else given
        for key in inside if isinstance(inside, dict) else ():
            if key not in known:
                where_en, where_zh = (f" in [{table}]", f"[{table}] 中") if table else ("", "")
                raise LudusError(
                    f"{path}: unknown entry {key!r}{where_en}; allowed: {', '.join(known)}",
                    f"{path}：{where_zh}没有 {key!r} 这一项；可用的有：{'、'.join(known)}",
                )


def _refuse_contradictions(path: Path | str, manifest: BotManifest) -> None:
    if manifest.name and (not manifest.name.isprintable() or not manifest.name.strip()):
        raise LudusError(
            f"{path}: the name {manifest.name!r} cannot be shown in one line",
            f"{path}：名称 {manifest.name!r} 无法在一行中显示",
        )
    if not manifest.language and manifest.run is None:
        raise LudusError(
            f'{path}: add the language the bot is written in: language = "cpp"'
            f" (one of {', '.join(BY_NAME)}), or how to start it: [run] command",
            f'{path}：请写明 AI 的语言，如 language = "cpp"（可选：{"、".join(BY_NAME)}），'
            "或用 [run] command 写明如何启动",
        )
    if manifest.language and manifest.language not in BY_NAME:
        raise LudusError(
            f"{path}: unknown language {manifest.language!r}; supported: {', '.join(BY_NAME)}",
            f"{path}：未知语言 {manifest.language!r}；支持：{'、'.join(BY_NAME)}",
        )
    _refuse_unknown_protocol(path, manifest.protocol)
    main = PurePosixPath(manifest.main)
    if main.is_absolute() or ".." in main.parts or "\0" in manifest.main:
        raise LudusError(
            f"{path}: main = {manifest.main!r} is not in the bot's folder",
            f"{path}：main = {manifest.main!r} 不在 AI 的文件夹里",
        )


def _refuse_unknown_protocol(path: Path | str, name: str) -> None:
    if name and name not in (known := protocol_names()):
        raise LudusError(
            f"{path}: unknown protocol {name!r}; supported: {', '.join(known)}",
            f"{path}：未知协议 {name!r}；支持：{'、'.join(known)}",
        )
