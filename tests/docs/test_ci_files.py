"""The CI files in examples/ci: their steps check a bot and upload it to a real server."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ludus.server.state import ServerSettings
from tests.support.accounts import GOOD, newcomer, register
from tests.support.site import Site, served_for_module

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "ci"


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    home = tmp_path_factory.mktemp("arena")
    with served_for_module(home, ServerSettings(demo=False, jobs=1)) as site:
        register(site, "Olga")
        yield site


def read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))
    return found


def github_steps() -> list[str]:
    file = read("github-actions.yml")
    steps = [step["run"] for step in file["jobs"]["bot"]["steps"] if "run" in step]
    assert "git clone" in steps[0]
    return steps[1:]


def gitlab_steps() -> list[str]:
    file = read("gitlab-ci.yml")
    assert "git clone" in file["default"]["before_script"][0]
    return [*file["check"]["script"], *file["upload"]["script"]]


@pytest.mark.parametrize("host,steps", [("github", github_steps()), ("gitlab", gitlab_steps())])
def test_the_steps_check_a_bot_and_upload_it(
    host: str, steps: list[str], arena: Site, tmp_path: Path
) -> None:
    ann = newcomer(arena, host)
    token = ann.post("/api/me/tokens", {"label": "ci", "scopes": ["read", "upload"]})["token"]
    project = tmp_path / "project"
    project.mkdir()
    (project / "my_bot.py").write_bytes(GOOD)
    env = {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "LUDUS_HOME": str(tmp_path / "home"),
        "LUDUS": str(ROOT / ".venv" / "bin" / "ludus"),
        **{"BOT": "my_bot.py", "GAME": "reversi", "NAME": f"{host}-bot"},
        **{"ARENA": arena.url, "TOKEN": token, "COMMIT": "1" * 40},
        **{"LUDUS_ARENA": arena.url, "LUDUS_TOKEN": token, "CI_COMMIT_SHA": "1" * 40},
    }
    script = "set -e\n" + "\n".join(steps)
    done = subprocess.run(
        ["bash", "-c", script], cwd=project, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert token not in done.stdout + done.stderr
    (bot,) = ann.get("/api/bots?mine=1")["items"]
    assert (bot["name"], bot["versions"][0]["state"]) == (f"{host}-bot", "good")
    assert bot["versions"][0]["remark"] == "1" * 40
