"""JavaScript, run by Node."""

from __future__ import annotations

from pathlib import Path

from ludus.bots.languages.base import KIT_SOURCES, BotCode, Language, Toolchain
from ludus.sandbox import Limits

HEAP_SHARE = 0.75
"""The share of a bot's memory that its JavaScript objects may fill."""


class JavaScript(Language):
    """JavaScript, run by Node."""

    name = "javascript"
    title = "JavaScript"
    suffixes = (".mjs", ".js", ".cjs")
    main = "main.mjs"
    tool = "node"
    package = "nodejs"
    compiled = False
    apart = True  # Node finds modules by the folders above a file, so the files must be together
    settings = {"OPENSSL_CONF": "/dev/null"}  # Node does not start if it cannot read the default
    sample = 'console.log("hello");\n'

    def run_command(self, tool: Toolchain, code: BotCode, limits: Limits) -> tuple[str, ...]:
        heap = f"--max-old-space-size={int(limits.memory * HEAP_SHARE) >> 20}"
        links = ("--preserve-symlinks", "--preserve-symlinks-main")
        return (tool.program, heap, *links, code.path_inside(code.main))

    def kit_files(self) -> dict[str, Path]:
        """Node looks for ``import "ludus"`` in the node_modules of all folders above the bot's."""
        kit = KIT_SOURCES / "javascript"
        return {f"/node_modules/ludus/{name}": kit / name for name in ("package.json", "ludus.mjs")}


LANGUAGE = JavaScript()
