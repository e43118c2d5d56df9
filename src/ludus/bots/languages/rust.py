"""Rust, one crate compiled by rustc; no cargo, no packages."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ludus.bots.languages.language import (
    OUT,
    PATIENCE,
    Code,
    Language,
    Toolchain,
    beyond_system,
    version_of,
    which,
)


class Rust(Language):
    name = "rust"
    title = "Rust"
    suffixes = (".rs",)
    main = "main.rs"
    tool = "rustc"
    package = "rustc gcc"
    sample = 'fn main() { println!("hello"); }\n'

    def locate(self) -> Toolchain:
        """The real compiler: rustup's ``rustc`` only looks for it, in a home that a jail lacks."""
        program = which(self.tool) or self.missing()
        _linker() or self.missing("gcc")
        try:
            asked = [program if Path(program).name == self.tool else self.tool]
            said = subprocess.run(
                [*asked, "--print", "sysroot"], capture_output=True, text=True, timeout=PATIENCE
            )
            real = Path(said.stdout.strip()) / "bin" / self.tool
        except (OSError, subprocess.TimeoutExpired):
            real = Path(program)
        if real.is_file():
            program = str(real.resolve())
        version = version_of(program, self.version_flag)
        return Toolchain(program, version, beyond_system(program))

    def compile(self, tool: Toolchain, code: Code) -> tuple[str, ...]:
        links = ("-C", f"linker={_linker() or self.missing('gcc')}")
        # rustc makes one thread for each core; a jail allows few
        quiet = ("--edition", "2021", "-O", "-C", "codegen-units=4", "--cap-lints", "warn")
        return (tool.program, *quiet, *links, "-o", f"{OUT}/bot", code.main)


def _linker() -> str | None:
    """The C compiler that rustc links with."""
    return which("gcc") or which("cc") or which("clang")


LANGUAGE = Rust()
