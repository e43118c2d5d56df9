"""What is built and run at the level of jail that somebody asked for."""

from pathlib import Path

import pytest

from ludus import sandbox
from ludus.bots.resolve import resolve_program
from ludus.sandbox import JailLevel, Limits

BUILD = """
if ls / > /dev/null 2>&1; then echo 'a root of its own'; else echo 'none'; fi > "$LUDUS_OUT/seen"
cp "$LUDUS_BOT/b.sh" "$LUDUS_OUT/copy"
"""
IMPORTS = """
import ludus.compat.saiblo.sdk.ai
import ludus.compat.saiblo.sdk.logic
print(ludus.__version__)
"""


@pytest.fixture(params=["strong", "userns", "plain"])
def level(request: pytest.FixtureRequest) -> JailLevel:
    if request.param not in sandbox.list_levels():
        pytest.skip(f"no jail of level {request.param} on this machine")
    return JailLevel(request.param)


def test_a_build_runs_at_the_level_asked_for_and_finds_its_folders(
    level: JailLevel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LUDUS_JAIL", raising=False)
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "ludus.toml").write_text(
        '[build]\ncommand = ["sh", "b.sh"]\n[run]\ncommand = ["sh", "b.sh"]\n'
    )
    (folder / "b.sh").write_text(BUILD)
    program = resolve_program(folder).build_spec.build_program(Limits(), level)
    made = program.files["/out"]
    seen = (made / "seen").read_text().strip()
    assert seen == ("none" if level is JailLevel.PLAIN else "a root of its own")
    assert (made / "copy").read_text() == BUILD


def test_a_program_imports_ludus_at_every_level(level: JailLevel, tmp_path: Path) -> None:
    """Also from a checkout, whose folder a program in a jail of level plain cannot list."""
    (tmp_path / "ai.py").write_text(IMPORTS)
    program = resolve_program(tmp_path / "ai.py").build_spec.build_program(Limits(processes=16))
    done = sandbox.run(program, seconds=30, limits=Limits(processes=16), level=level)
    assert done.code == 0, done.stderr
