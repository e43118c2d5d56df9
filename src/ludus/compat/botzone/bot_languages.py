"""How Botzone compiles C and C++.

``"jsoncpp/json.h"`` is the system's JsonCpp if it is installed, and otherwise our own header, which
has the same names and needs nothing to be installed. ``"json.hpp"`` (nlohmann/json) and Eigen come
from the system.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ludus.bots.languages import c, cpp
from ludus.bots.languages.base import OUT_FOLDER, BotCode, Language, Toolchain

HEADERS = Path(__file__).parent / "headers"
HEADER_FOLDER = "/botzone"
"""The folder in the jail with our headers."""
SYSTEM_JSONCPP = Path("/usr/include/jsoncpp")
"""Debian's folder of ``json/json.h``."""
SYSTEM_EIGEN = Path("/usr/include/eigen3")
HEADER_PACKAGES: Mapping[str, str] = {
    "nlohmann/": "nlohmann-json3-dev",
    "Eigen/": "libeigen3-dev",
    "json/": "libjsoncpp-dev",
    "jsoncpp/": "libjsoncpp-dev",
}
"""The beginnings of headers that programs of Botzone include, and Debian's packages of them."""


def has_system_jsoncpp() -> bool:
    return (SYSTEM_JSONCPP / "json" / "json.h").is_file()


class BotzoneCpp(cpp.Cpp):
    """C++ as Botzone compiles it."""

    standard = "c++17"
    header_packages = HEADER_PACKAGES

    def compile_command(self, tool: Toolchain, code: BotCode) -> tuple[str, ...]:
        system = (SYSTEM_EIGEN, *([SYSTEM_JSONCPP] if has_system_jsoncpp() else []))
        folders = (HEADER_FOLDER, *(str(folder) for folder in system if folder.is_dir()))
        return (
            tool.program,
            "-D_BOTZONE_ONLINE",
            f"-std={self.standard}",
            self.optimisation,
            "-fdiagnostics-color=never",
            *(word for folder in folders for word in ("-I", folder)),
            *code.sources,
            "-o",
            f"{OUT_FOLDER}/bot",
            *self.libraries,
            *(("-ljsoncpp",) if has_system_jsoncpp() else ()),
        )

    def kit_files(self) -> dict[str, Path]:
        return {HEADER_FOLDER: HEADERS / ("system" if has_system_jsoncpp() else "own")}


class BotzoneC(BotzoneCpp):
    """C as Botzone compiles it."""

    name, title, suffixes, main = c.C.name, c.C.title, c.C.suffixes, c.C.main
    tool, package, sample = c.C.tool, c.C.package, c.C.sample
    standard, libraries = c.C.standard, c.C.libraries


COMPILED: Mapping[str, Language] = {"cpp": BotzoneCpp(), "c": BotzoneC()}
"""The languages that are compiled in another way than for bots of Ludus, by name."""
