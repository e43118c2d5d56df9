"""Python: our own runner hosts these bots, with the interpreter that runs Ludus."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import ludus
from ludus.bots.languages.language import Code, Language, Toolchain, beyond_system
from ludus.sandbox import Limits

OURS = Path(ludus.__file__).parent
INSTALLED = OURS.parent.name == "site-packages"
"""Whether the interpreter finds Ludus by itself, and not in somebody's checkout."""


IMPORTABLE = OURS.parent if INSTALLED else OURS / "bots" / "languages" / "checkout"
"""The folder by which a program in a jail imports Ludus, also where it may list no other."""


class Python(Language):
    name = "python"
    title = "Python"
    suffixes = (".py",)
    main = "main.py"
    tool = "python3"
    package = "python3"
    compiled = False
    sample = 'print("hello")\n'
    settings = {} if INSTALLED else {"PYTHONPATH": str(IMPORTABLE)}

    def kit(self) -> dict[str, Path]:
        """Programs of their own may import Ludus too."""
        return {str(OURS): OURS}

    def locate(self) -> Toolchain:
        program = os.path.realpath(sys.executable)
        return Toolchain(program, platform.python_version(), beyond_system(program))

    def run(self, tool: Toolchain, code: Code, limits: Limits) -> tuple[str, ...]:
        """For the self-test; bots are run by ``ludus.bots.runner``."""
        return (tool.program, "-I", "-S", code.inside(code.main))


LANGUAGE = Python()
