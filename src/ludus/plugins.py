"""What installed packages add to Ludus by entry points: games, and bots that play every game."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ludus.errors import LudusError
from ludus.lang import Text
from ludus.packages import uninstall_command

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


def load_entry_point(point: EntryPoint, kind: type[T], noun: Text) -> T:
    """The object that an entry point names; LudusError, which says how to take its package out, if
    it cannot be loaded or is something else. ``noun`` is what messages call it."""
    way_out = _describe_way_out(point)
    try:
        loaded = point.load()
    except Exception as error:
        why = _describe_failure(error)
        raise LudusError(
            f"the installed {noun['en']} {point.name!r} ({point.value}) cannot be loaded:"
            f" {why}{way_out['en']}",
            f"已安装的{noun['zh']} {point.name!r}（{point.value}）无法载入：{why}{way_out['zh']}",
        ) from error
    if not isinstance(loaded, kind):
        raise LudusError(
            f"the entry point {point.value} of {noun['en']} {point.name!r} is not"
            f" a Ludus {kind.__name__}{way_out['en']}",
            f"{noun['zh']} {point.name!r} 的入口 {point.value} 不是 Ludus 的 {kind.__name__}"
            f"{way_out['zh']}",
        )
    return loaded


def _describe_failure(error: Exception) -> str:
    """What went wrong and, where the file is known, in which line of it."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}: {error.msg}"
    return repr(error)


def _describe_way_out(point: EntryPoint) -> Text:
    if point.dist is None:
        return Text("", "")
    command = uninstall_command(point.dist.name)
    return Text(f"; fix it, or remove its package: {command}", f"；请修正，或卸载它的包：{command}")
