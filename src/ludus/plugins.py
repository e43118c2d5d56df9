"""What installed packages add to Ludus by entry points: games, and bots that play every game."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ludus.errors import LudusError
from ludus.lang import Text

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


def load_entry_point(point: EntryPoint, kind: type[T], noun: Text) -> T:
    """The object that an entry point names; LudusError if it cannot be loaded or is something
    else. ``noun`` is what messages call it."""
    try:
        loaded = point.load()
    except Exception as error:
        raise LudusError(
            f"the installed {noun['en']} {point.name!r} ({point.value}) cannot be loaded:"
            f" {error!r}",
            f"已安装的{noun['zh']} {point.name!r}（{point.value}）无法载入：{error!r}",
        ) from error
    if not isinstance(loaded, kind):
        raise LudusError(
            f"the entry point {point.value} of {noun['en']} {point.name!r} is not"
            f" a Ludus {kind.__name__}",
            f"{noun['zh']} {point.name!r} 的入口 {point.value} 不是 Ludus 的 {kind.__name__}",
        )
    return loaded
