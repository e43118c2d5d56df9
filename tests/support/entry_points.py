"""Packages that add entry points to Ludus, installed for one test."""

from pathlib import Path

import pytest

from ludus.bots import bot_protocols, seat_schemes
from ludus.games import registry


def install_entry_points(
    folder: Path, monkeypatch: pytest.MonkeyPatch, module: str, **groups: dict[str, str]
) -> None:
    """Install a package of one module; ``groups`` are entry points by the group's last word:
    ``seat_schemes={"echo": "open_seat"}`` names the function ``open_seat`` of the module."""
    name = "visiting_package"
    (folder / f"{name}.py").write_text(module)
    info = folder / f"{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    lines = [
        line
        for group, points in groups.items()
        for line in (f"[ludus.{group}]", *(f"{key} = {name}:{at}" for key, at in points.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(str(folder))
    forget_entry_points()


def forget_entry_points() -> None:
    """Look for installed packages anew."""
    bot_protocols._entry_points.cache_clear()
    bot_protocols.find_protocol.cache_clear()
    seat_schemes._entry_points.cache_clear()
    registry._installed_games.cache_clear()
    registry._find_installed.cache_clear()
