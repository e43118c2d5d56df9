"""C++, compiled by g++."""

from __future__ import annotations

from pathlib import Path

from ludus.bots.languages.language import KIT, KITS, OUT, Code, Language, Toolchain


class Cpp(Language):
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

    def compile(self, tool: Toolchain, code: Code) -> tuple[str, ...]:
        flags = (f"-std={self.standard}", self.optimisation, "-fdiagnostics-color=never", "-I", KIT)
        return (tool.program, *flags, *code.sources, "-o", f"{OUT}/bot", *self.libraries)

    def kit(self) -> dict[str, Path]:
        return {KIT: KITS / "cpp"}


LANGUAGE = Cpp()
