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
