"""Go, compiled without a network: the standard library and what lies in the bot's folder."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
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
from ludus.sandbox import Limits


class Go(Language):
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
        program = which(self.tool) or self.missing()
        said = subprocess.run(
            [program, "env", "GOROOT"], capture_output=True, text=True, timeout=PATIENCE
        )
        root = Path(said.stdout.strip() or program).resolve()
        folders = [*beyond_system(program), *beyond_system(f"{root}/bin/go")]
        version = version_of(program, self.version_flag)
        return Toolchain(program, version, tuple(dict.fromkeys(folders)))

    def compile(self, tool: Toolchain, code: Code) -> tuple[str, ...]:
        what = (".",) if "go.mod" in code.files else code.sources
        return (tool.program, "build", "-o", f"{OUT}/bot", *what)

    def environment(self) -> Mapping[str, str]:
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
