"""The container file: linted, and built and tried where there is a builder without a daemon."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from tools.releasing.commands import ReleaseError, Words, run

CONTAINERFILE = "deploy/Containerfile"
TRIAL = """
set -e
ASK="import urllib.request as u; u.urlopen('http://127.0.0.1:8048/docs/', timeout=4)"
cd /opt/ludus/.venv/bin
./ludus play tablut greedy random --seed 1
./ludus serve --host 0.0.0.0 --port 8048 --no-browser --log - &
for second in $(seq 120); do
    sleep 1
    if ./python -c "$ASK" 2>/dev/null
    then kill $! && echo the container serves; exit 0
    fi
done
exit 1
"""
"""What is done inside: a bout is played, and a server has its docs."""


def find_lint_problems(root: Path, tools: Path) -> Iterator[str]:
    """What hadolint says of the container file."""
    try:
        run([tools / "hadolint", root / CONTAINERFILE])
    except ReleaseError as error:
        yield str(error)


def find_container_problems(root: Path) -> Iterator[str]:
    """Build the container with buildah, which needs no daemon, and play and serve in it."""
    buildah = shutil.which("buildah")
    if buildah is None:
        yield "there is no buildah to build the container with; on Debian: apt install buildah"
        return
    image = f"ludus-release-{os.getpid()}"
    apart: Words = ["--isolation", "chroot"]
    run([buildah, "bud", *apart, "-t", image, "-f", root / CONTAINERFILE, root])
    container = run([buildah, "from", image]).split()[-1]
    try:
        said = run([buildah, "run", *apart, container, "--", "sh", "-c", TRIAL])
        if "the container serves" not in said:
            yield f"the container does not serve:\n{said[-2000:]}"
    finally:
        run([buildah, "rm", container])
        run([buildah, "rmi", image])
