"""Python: our own runner hosts these bots, with the interpreter that runs Ludus."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import ludus
from ludus.bots.languages.base import BotCode, Language, Toolchain, extra_folders
from ludus.sandbox import Limits

LUDUS_FOLDER = Path(ludus.__file__).parent
IS_LUDUS_INSTALLED = LUDUS_FOLDER.parent.name == "site-packages"
"""Whether Ludus is installed in site-packages, and not run from a source checkout."""


IMPORT_FOLDER = (
    LUDUS_FOLDER.parent if IS_LUDUS_INSTALLED else LUDUS_FOLDER / "bots" / "languages" / "checkout"
)
"""The entry of ``sys.path`` by which a program in a jail imports Ludus."""


class Python(Language):
    """Python, run by the interpreter that Ludus runs on."""

    name = "python"
    title = "Python"
    suffixes = (".py",)
    main = "main.py"
    tool = "python3"
    package = "python3"
    compiled = False
    sample = 'print("hello")\n'
    settings = {} if IS_LUDUS_INSTALLED else {"PYTHONPATH": str(IMPORT_FOLDER)}

    def kit_files(self) -> dict[str, Path]:
        """The package ludus, which programs of their own may import too."""
        return {str(LUDUS_FOLDER): LUDUS_FOLDER}

    def locate(self) -> Toolchain:
        program = os.path.realpath(sys.executable)
        return Toolchain(program, platform.python_version(), extra_folders(program))

    def run_command(self, tool: Toolchain, code: BotCode, limits: Limits) -> tuple[str, ...]:
        """For the self-test; bots are run by ``ludus.bots.runner``."""
        return (tool.program, "-I", "-S", code.path_inside(code.main))


LANGUAGE = Python()
