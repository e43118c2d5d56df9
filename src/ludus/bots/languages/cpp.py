"""C++, compiled by g++."""

from __future__ import annotations

from pathlib import Path

from ludus.bots.languages.base import (
    KIT_FOLDER,
    KIT_SOURCES,
    OUT_FOLDER,
    BotCode,
    Language,
    Toolchain,
)


class Cpp(Language):
    """C++, compiled with g++ or clang++."""

    name = "cpp"
    title = "C++"
    suffixes: tuple[str, ...] = (".cpp", ".cc", ".cxx")
    main = "main.cpp"
    tool = "g++"
    package = "g++"
    standard = "c++20"
    optimisation = "-O2"
    libraries: tuple[str, ...] = ("-pthread",)
    sample = '#include <iostream>\nint main() { std::cout << "hello" << std::endl; }\n'

    def compile_command(self, tool: Toolchain, code: BotCode) -> tuple[str, ...]:
        flags = (
            f"-std={self.standard}",
            self.optimisation,
            "-fdiagnostics-color=never",
            "-I",
            KIT_FOLDER,
        )
        return (tool.program, *flags, *code.sources, "-o", f"{OUT_FOLDER}/bot", *self.libraries)

    def kit_files(self) -> dict[str, Path]:
        return {KIT_FOLDER: KIT_SOURCES / "cpp"}


LANGUAGE = Cpp()
