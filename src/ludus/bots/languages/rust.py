"""Rust, one crate compiled by rustc; no cargo, no packages."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ludus.bots.languages.base import (
    OUT_FOLDER,
    VERSION_TIMEOUT_S,
    BotCode,
    Language,
    Toolchain,
    extra_folders,
    read_version,
    resolve_on_path,
)


class Rust(Language):
    """Rust, compiled with rustc or cargo."""

    name = "rust"
    title = "Rust"
    suffixes = (".rs",)
    main = "main.rs"
    tool = "rustc"
    package = "rustc gcc"
    sample = 'fn main() { println!("hello"); }\n'

    def locate(self) -> Toolchain:
        """The real compiler: rustup's ``rustc`` only forwards to it, by a home that jails lack."""
        program = resolve_on_path(self.tool) or self.missing_message()
        _find_linker() or self.missing_message("gcc")
        try:
            asked = [program if Path(program).name == self.tool else self.tool]
            done = subprocess.run(
                [*asked, "--print", "sysroot"],
                capture_output=True,
                text=True,
                timeout=VERSION_TIMEOUT_S,
            )
            real = Path(done.stdout.strip()) / "bin" / self.tool
        except (OSError, subprocess.TimeoutExpired):
            real = Path(program)
        if real.is_file():
            program = str(real.resolve())
        version = read_version(program, self.version_flag)
        return Toolchain(program, version, extra_folders(program))

    def compile_command(self, tool: Toolchain, code: BotCode) -> tuple[str, ...]:
        links = ("-C", f"linker={_find_linker() or self.missing_message('gcc')}")
        # rustc makes one thread for each core; a jail allows few
        quiet = ("--edition", "2021", "-O", "-C", "codegen-units=4", "--cap-lints", "warn")
        return (tool.program, *quiet, *links, "-o", f"{OUT_FOLDER}/bot", code.main)


def _find_linker() -> str | None:
    """The C compiler that rustc links with."""
    return resolve_on_path("gcc") or resolve_on_path("cc") or resolve_on_path("clang")


LANGUAGE = Rust()
