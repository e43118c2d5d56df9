"""The files under deploy/ say what the tools that read them understand."""

import shutil
import subprocess
from pathlib import Path

import pytest

DEPLOY = Path(__file__).parents[1] / "deploy"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    text = (DEPLOY / "ludus.service").read_text()
    program = "/opt/ludus/.venv/bin/ludus"
    assert f"ExecStart={program} serve " in text
    unit = tmp_path / "ludus.service"
    unit.write_text(text.replace(program, "/bin/true"))  # nothing is installed in /opt here
    ran = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, timeout=60
    )
    assert "ludus.service" not in ran.stderr, ran.stderr
    unit.write_text(text.replace("Restart=always", "Restart=sometimes"))
    ran = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, timeout=60
    )
    assert "ludus.service" in ran.stderr, "a mistake would be noticed"


def test_a_container_is_built_from_what_git_keeps() -> None:
    """What this machine has built, for its own Python and its own system, stays outside."""
    root = DEPLOY.parent
    left_out = (root / ".dockerignore").read_text().splitlines()
    made_here = [".venv", "build", "web/node_modules", "src/ludus/server/page", "**/*.so"]
    assert set(made_here) < set(left_out)
    patterns = [line for line in left_out if line and not line.startswith(("#", ".git"))]
    kept = subprocess.run(
        ["git", "ls-files", "--", *(f":(glob){each}/**" for each in patterns)],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert kept.stdout == "", "nothing that is needed is left out"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_steps_of_an_installation_are_those_of_the_files(language: str) -> None:
    page = (DEPLOY.parent / "docs" / language / "arena.md").read_text(encoding="utf-8")
    unit = (DEPLOY / "ludus.service").read_text()
    for fact in ("--home-dir /var/lib/ludus ludus", "/opt/ludus", "--allow-host"):
        assert fact in page and fact in unit
    for file in ("deploy/ludus.service", "deploy/nginx.conf"):
        assert f"/opt/ludus/{file}" in page and (DEPLOY.parent / file).is_file()
    assert "LUDUS_HOME=/var/lib/ludus" in page and "LUDUS_HOME=/var/lib/ludus" in unit
