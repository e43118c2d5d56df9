"""``tools/release``: checks everything, builds the files of a release and tries them."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tools.releasing.commands import ReleaseError
from tools.releasing.container import find_container_problems, find_lint_problems
from tools.releasing.follow_docs import (
    LANGUAGES,
    find_first_hour_problems,
    make_clone,
    make_wheel_desk,
)
from tools.releasing.installing import (
    InstallSource,
    collect_wheels,
    find_runner_problems,
    find_size_problems,
    make_environment,
)
from tools.releasing.pythons import (
    VERSIONS,
    Interpreter,
    find_pythons,
    install_into,
    prepare_builders,
)
from tools.releasing.situations import SITUATIONS, can_try, prepare_try
from tools.releasing.source_checks import find_source_problems, find_tree_problems, read_version
from tools.releasing.wheels import (
    build_sdist,
    build_wheel,
    find_platform_problems,
    find_wheel_problems,
    unpack_sdist,
)

ROOT = Path(__file__).resolve().parents[2]


class Release:
    """One run: the problems found so far, and the folders that it works in."""

    def __init__(self, work: Path, out: Path) -> None:
        self.work = work
        self.out = out
        self.problems: list[str] = []

    def check(self, what: str, problems: Iterable[str]) -> None:
        """Say at once whether something is fine, and remember what is not."""
        try:
            found = list(problems)
        except (ReleaseError, OSError) as error:
            found = [str(error)]
        print(f"{'FAILED' if found else 'ok':6} {what}", flush=True)
        for problem in found:
            print(f"       {problem}", flush=True)
        self.problems += found

    def prepare_tools(self) -> Path:
        """Where Zig, auditwheel, uv, pipx and hadolint are."""
        tools = self.work / "tools"
        if not all((tools / "bin" / name).exists() for name in ("auditwheel", "hadolint")):
            python = make_environment(Path(sys.executable), tools)
            lock = ROOT / "requirements-release.lock"
            install_into(python, "--no-deps", "--require-hashes", "-r", lock)
        return tools / "bin"

    def build(self, pythons: list[Interpreter], tools: Path) -> dict[str, Path]:
        """The sdist, and from it alone every wheel."""
        for old in self.out.glob("*"):
            old.unlink()
        sdist = build_sdist(ROOT, self.out, self.work / "egg")
        sources = unpack_sdist(sdist, self.work / "sources")
        compiled = (ROOT / "compiled.txt").read_text(encoding="utf-8").split()
        wheels: dict[str, Path] = {}
        for python in pythons:
            wheel = build_wheel(sources, python, tools / "python", self.out)
            wheels[python.version] = wheel
            self.check(f"{wheel.name} is complete", find_wheel_problems(wheel, compiled))
            self.check(
                f"{wheel.name} runs everywhere", find_platform_problems(wheel, tools / "auditwheel")
            )
        return wheels

    def try_wheel(
        self, python: Interpreter, wheel: Path, tools: Path, *, every: bool, first_hour: bool
    ) -> None:
        """Install it in empty environments; in every situation or only in the first."""
        place = self.work / python.tag
        source = collect_wheels(wheel, python.path, place / "wheels")
        self.check(f"{python.tag}: size", find_size_problems(source, place / "sized"))
        with tempfile.TemporaryDirectory(prefix="ludus-release-") as folder:
            tries = Path(folder)
            tries.chmod(0o755)
            self.try_situations(python, source, tries, every)
        if every:
            self.check("uvx and pipx run", find_runner_problems(source, tools, place / "runners"))
        if first_hour:
            self.follow_docs(source)

    def follow_docs(self, source: InstallSource) -> None:
        """Do what the docs say, in both languages: in fresh clones, and with the wheel."""
        for language in LANGUAGES:
            clone = make_clone(ROOT, self.work, language)
            problems = find_first_hour_problems(clone, ROOT / "docs", language)
            self.check(f"the first hour in a fresh clone ({language})", problems)
            desk = make_wheel_desk(source, self.work, language)
            problems = find_first_hour_problems(desk, ROOT / "docs", language)
            self.check(f"the first hour with the wheel ({language})", problems)

    def try_situations(
        self, python: Interpreter, source: InstallSource, tries: Path, every: bool
    ) -> None:
        for situation in SITUATIONS if every else SITUATIONS[:1]:
            what = f"{python.tag}: {situation.name}"
            if can_try(situation):
                self.check(what, prepare_try(situation, source, tries).problems())
            else:
                print(f"left   {what}: only root can take other accounts", flush=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/release", description=__doc__)
    another = "a Python beside those on the path; may be repeated"
    parser.add_argument("--python", action="append", default=[], metavar="PROGRAM", help=another)
    only = "build and try only this version of Python; may be repeated"
    parser.add_argument("--only", action="append", choices=VERSIONS, metavar="VERSION", help=only)
    parser.add_argument("--work", type=Path, default=ROOT / "build/release", metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="FOLDER")
    final = "the version, the changelog and the tree need not be final"
    parser.add_argument("--rehearse", action="store_true", help=final)
    hour = "do not follow the docs in fresh clones and with the wheel, which takes half an hour"
    parser.add_argument("--no-first-hour", action="store_true", help=hour)
    container = "build the container with buildah and try it, too"
    parser.add_argument("--container", action="store_true", help=container)
    parser.add_argument("--keep", action="store_true", help="try the wheels of --out, build none")
    return parser.parse_args()


def main() -> int:
    """Build and try everything; the exit status says whether it can be released."""
    given = parse_arguments()
    # In the background of a shell, Ctrl-C is ignored, and so it would be by what is tried here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    release = Release(given.work.absolute(), given.out.absolute())
    release.work.mkdir(parents=True, exist_ok=True)
    release.out.mkdir(parents=True, exist_ok=True)
    version = read_version(ROOT)
    if not given.rehearse:
        release.check("version and changelog", find_source_problems(ROOT))
        release.check("everything is committed", find_tree_problems(ROOT, version))
    found = find_pythons(given.python)
    wanted = given.only or VERSIONS
    missing = [each for each in wanted if each not in found]
    release.check("a Python of each version", (f"there is no Python {each}" for each in missing))
    chosen = {each: path for each, path in found.items() if each in wanted}
    pythons = list(prepare_builders(chosen, ROOT, release.work))
    tools = release.prepare_tools()
    release.check("the container file", find_lint_problems(ROOT, tools))
    if given.container:
        release.check("the container", find_container_problems(ROOT))
    if given.keep:
        wheels = {p.version: next(release.out.glob(f"*-{p.tag}-*.whl")) for p in pythons}
    else:
        wheels = release.build(pythons, tools)
    for python in pythons:
        first = python == pythons[0]
        first_hour = first and not given.no_first_hour
        release.try_wheel(python, wheels[python.version], tools, every=first, first_hour=first_hour)
    for problem in release.problems:
        print(f"cannot release {version}: {problem.splitlines()[0]}", file=sys.stderr)
    if not release.problems:
        print(f"ludus-arena {version} can be released: the files are in {release.out}")
    return 1 if release.problems else 0


if __name__ == "__main__":
    sys.exit(main())
