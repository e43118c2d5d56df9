"""Go, compiled without network access: only the standard library and the bot's own folder."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
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
from ludus.sandbox import Limits


class Go(Language):
    """Go, compiled with its own tool."""

    name = "go"
    title = "Go"
    suffixes = (".go",)
    main = "main.go"
    tool = "go"
    package = "golang-go"
    version_flag = "version"
    seconds = 180.0  # from Go 1.20 on every bot compiles the standard library anew
    limits = Limits(
        memory=4 << 30, processes=64, file_size=128 << 20, scratch=1 << 30, output=1 << 20
    )
    sample = 'package main\n\nimport "os"\n\nfunc main() { os.Stdout.WriteString("hello\\n") }\n'

    def locate(self) -> Toolchain:
        program = resolve_on_path(self.tool) or self.missing_message()
        done = subprocess.run(
            [program, "env", "GOROOT"], capture_output=True, text=True, timeout=VERSION_TIMEOUT_S
        )
        root = Path(done.stdout.strip() or program).resolve()
        folders = [*extra_folders(program), *extra_folders(f"{root}/bin/go")]
        version = read_version(program, self.version_flag)
        return Toolchain(program, version, tuple(dict.fromkeys(folders)))

    def compile_command(self, tool: Toolchain, code: BotCode) -> tuple[str, ...]:
        what = (".",) if "go.mod" in code.files else code.sources
        return (tool.program, "build", "-o", f"{OUT_FOLDER}/bot", *what)

    def compile_environment(self) -> Mapping[str, str]:
        return {
            "CGO_ENABLED": "0",
            "GOCACHE": "/tmp/go-cache",
            "GOENV": "off",
            "GOFLAGS": "-buildvcs=false",
            "GOMAXPROCS": "4",
            "GOPATH": "/tmp/go",
            "GOPROXY": "off",
            "GOTELEMETRY": "off",
            "GOTOOLCHAIN": "local",
            "HOME": "/tmp",
        }


LANGUAGE = Go()
