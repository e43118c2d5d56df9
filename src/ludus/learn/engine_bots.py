"""The bots of this room that play every game, as ``ludus.bots.engine_bots`` finds them.

``pyproject.toml`` names each as an entry point of ``ludus.engine_bots``.
"""

from __future__ import annotations

from pathlib import Path

from ludus.bots.engine_bots import InstalledEngine

NETS_FOLDER = Path(__file__).parent / "nets"
"""A trained network for each game that has one, for ``learned`` without a file."""
SEARCH = InstalledEngine(Path(__file__).parent / "bots" / "search.py")
LEARNED = InstalledEngine(Path(__file__).parent / "bots" / "learned.py", nets=NETS_FOLDER)
