"""C, compiled by gcc."""

from __future__ import annotations

from ludus.bots.languages.cpp import Cpp


class C(Cpp):
    """C, compiled with gcc or clang."""

    name = "c"
    title = "C"
    suffixes = (".c",)
    main = "main.c"
    tool = "gcc"
    package = "gcc libc6-dev"
    standard = "gnu17"
    libraries = ("-pthread", "-lm")
    sample = '#include <stdio.h>\nint main(void) { puts("hello"); }\n'


LANGUAGE = C()
