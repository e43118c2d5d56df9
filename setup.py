"""Compiles the modules listed in compiled.txt with Cython; everything else is in pyproject.toml.

Compiling is an optimisation: without Cython, a C compiler or Python's headers, and for a module
that does not compile, the build goes on and the plain Python source runs instead.
LUDUS_UNCOMPILED=1 asks for that. In a wheel the pages of the docs are gzipped.
"""

import gzip
import hashlib
import json
import os
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import CompileError

os.chdir(Path(__file__).resolve().parent)  # sources are named relative to the root
GENERATED = Path("build/cython")
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "binding": True,
    "embedsignature": False,
}


def sources() -> list[Path]:
    lines = Path("compiled.txt").read_text(encoding="utf-8").splitlines()
    return [Path(line) for line in lines if line.strip() and Path(line).is_file()]


def module_name(source: Path) -> str:
    return ".".join(source.relative_to("src").with_suffix("").parts)


def tell_uncompiled(modules: list[str], why: str) -> None:
    names = ", ".join(sorted(modules))
    print(f"Ludus: {names} will run as plain Python, slower: {why}.", file=sys.stderr)


def forget_stale_c(paths: list[Path], version: str) -> None:
    """Remove generated C whose source changed: Cython compares times, which copies turn back."""
    shared = [version, *(p.read_text("utf-8") for p in sorted(Path("src").rglob("*.pxd")))]
    seen_file = GENERATED / "sources.json"
    seen = json.loads(seen_file.read_text("utf-8")) if seen_file.exists() else {}
    now = {}
    for path in paths:
        text = "\0".join([*shared, path.read_text("utf-8")])
        now[str(path)] = hashlib.sha256(text.encode()).hexdigest()
        if now[str(path)] != seen.get(str(path)):
            (GENERATED / path.with_suffix(".c")).unlink(missing_ok=True)
    GENERATED.mkdir(parents=True, exist_ok=True)
    seen_file.write_text(json.dumps(now, indent=1), encoding="utf-8")


def use_a_compiler_that_exists() -> None:
    """Some Pythons remember a compiler of the machine they were built on."""
    remembered = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if "CC" not in os.environ and shutil.which(remembered) is None:
        found = next(filter(shutil.which, ("cc", "gcc", "clang")), None)
        if found:
            os.environ["CC"] = found


def extensions() -> list[Extension]:
    paths = sources()
    if not paths or os.environ.get("LUDUS_UNCOMPILED"):
        return []
    try:
        from Cython import __version__ as version
        from Cython.Build import cythonize
    except ImportError:
        tell_uncompiled([module_name(path) for path in paths], "Cython is not installed")
        return []
    forget_stale_c(paths, version)
    use_a_compiler_that_exists()
    # Without tables for unwinding, which C does without, modules are a tenth smaller.
    flags = ["-O2", "-g0", "-fno-asynchronous-unwind-tables"] if os.name == "posix" else []
    wanted = [Extension(module_name(p), [str(p)], extra_compile_args=flags) for p in paths]
    options = {"build_dir": str(GENERATED), "compiler_directives": DIRECTIVES}
    try:
        made = cythonize(wanted, nthreads=os.cpu_count() or 1, **options)
    except Exception:  # one by one, so that one failure does not take the others with it
        made = []
        for extension in wanted:
            try:
                made += cythonize([extension], **options)
            except Exception as error:
                tell_uncompiled([extension.name], f"Cython failed ({error})")
    for extension in made:
        extension.optional = True  # cythonize() would forget it
    return made


def remove_compiled_modules_except(good: set[Path]) -> None:
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    for path in Path("src/ludus").rglob(f"*{suffix}"):
        if path not in good:
            path.unlink()


class BuildWhatCompiles(build_ext):
    """In place, a source never keeps the compiled module of another version of itself."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        super().run()
        wanted = [extension.name for extension in self.extensions or []]
        failed = [name for name in wanted if not self.built(name).exists()]
        if failed:
            tell_uncompiled(failed, "the C compiler or Python's headers are missing, or it failed")
        if self.inplace:
            good = [self.get_ext_filename(name) for name in wanted if name not in failed]
            remove_compiled_modules_except({Path("src", name) for name in good})

    def built(self, name: str) -> Path:
        return Path(self.build_lib, self.get_ext_filename(name))

    def build_extension(self, extension: Extension) -> None:
        try:
            super().build_extension(extension)
        except Exception as error:  # without a compiler it is an OSError, which nobody catches
            self.built(extension.name).unlink(missing_ok=True)
            raise CompileError(str(error)) from error


class BuildWithPackedDocs(build_py):
    """Pages of the docs are gzipped, which saves 6 MB; the server finds them so, too."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for language in Path(self.build_lib, "ludus/server/docs").glob("*/"):
                for file in (*language.glob("*.html"), *language.glob("*.json")):
                    packed = gzip.compress(file.read_bytes(), 9, mtime=0)
                    file.with_name(f"{file.name}.gz").write_bytes(packed)
                    file.unlink()


if __name__ == "__main__":  # else one of the processes that translate
    setup(
        ext_modules=extensions(),
        cmdclass={"build_ext": BuildWhatCompiles, "build_py": BuildWithPackedDocs},
    )
