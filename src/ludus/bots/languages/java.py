"""Java, compiled by javac."""

from __future__ import annotations

import re
from pathlib import Path

from ludus.bots.languages.base import (
    OUT_FOLDER,
    BotCode,
    Language,
    Toolchain,
    extra_folders,
    read_version,
    resolve_on_path,
)
from ludus.sandbox import Limits

HEAP_SHARE = 0.6
"""The share of a bot's memory that its objects may fill; the virtual machine needs the rest."""

STACK_OPTIONS = ("-Xss64m", "-XX:ThreadStackSize=1024")
"""The first option allows deep recursion in the main thread, whose stack the launcher creates. The
second one, which the virtual machine reads last, gives all other threads the usual 1 MB: without
control groups, stacks count as memory even if unused, so a dozen of 64 MB would fill the limit."""
COMPILER_OPTIONS = (
    *("-J-Xmx512m", "-J-XX:+UseSerialGC", "-J-XX:-UsePerfData"),
    "-J-XX:TieredStopAtLevel=1",
)
"""The compiler runs for about a second, which is too short to gain from optimisation: with the
virtual machine's second compiler it takes a third more CPU time."""


class Java(Language):
    """Java, compiled to classes that its virtual machine runs."""

    name = "java"
    title = "Java"
    suffixes = (".java",)
    main = "Main.java"
    tool = "javac"
    runtime = "java"
    package = "default-jdk-headless"
    sample = (
        'class Main { public static void main(String[] words) { System.out.println("hello"); } }\n'
    )

    def locate(self) -> Toolchain:
        program = resolve_on_path(self.tool) or self.missing_message()
        settings = [path for path in Path("/etc").glob("java-*-openjdk") if path.is_dir()]
        folders = (*extra_folders(program), *settings)
        return Toolchain(program, read_version(program, self.version_flag), folders)

    def compile_command(self, tool: Toolchain, code: BotCode) -> tuple[str, ...]:
        return (
            tool.program,
            *COMPILER_OPTIONS,
            "-encoding",
            "UTF-8",
            "-d",
            OUT_FOLDER,
            *code.sources,
        )

    def run_command(self, tool: Toolchain, code: BotCode, limits: Limits) -> tuple[str, ...]:
        java = str(Path(tool.program).with_name(self.runtime))
        return (
            java,
            f"-Xmx{int(limits.memory * HEAP_SHARE) >> 20}m",
            *STACK_OPTIONS,
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-XX:ReservedCodeCacheSize=64m",
            "-XX:CompressedClassSpaceSize=64m",
            "-cp",
            OUT_FOLDER,
            main_class(code),
        )


def main_class(code: BotCode) -> str:
    """The main class: called like the main file, in the package that the file names."""
    named = re.search(r"^[ \t]*+package\s++([\w.]++)\s*+;", code.text, re.MULTILINE)
    return f"{named[1]}.{Path(code.main).stem}" if named else Path(code.main).stem


LANGUAGE = Java()
