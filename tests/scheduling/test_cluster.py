"""A cluster listens where it was told to, and obeys nobody without its key.

That a contest is played there to its end is in test_durability.
"""

import asyncio
import contextlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ludus.scheduling.cluster_key import Cluster, load_security, make_key
from tests.support.browser import in_a_loop
from tests.support.contest_faults import LocalCluster, children, cluster
from tests.support.extras import need_extra

need_extra("cluster", "distributed")

LOOPBACK = "0100007F"
LISTENING = "0A"


@pytest.fixture(scope="module")
def local() -> Iterator[LocalCluster]:
    with cluster(1) as made:
        yield made


def listening(pid: int) -> list[tuple[str, int]]:
    """Address (as the kernel writes it) and port of all that a process tree listens on."""
    inodes = set()
    for each in (pid, *family(pid)):
        with contextlib.suppress(OSError):
            for fd in Path(f"/proc/{each}/fd").iterdir():
                with contextlib.suppress(OSError):
                    inodes.add(os.readlink(fd))
    found = []
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            host, _, port = words[1].rpartition(":")
            waits = words[3] == LISTENING or table.startswith("udp")
            if waits and f"socket:[{words[9]}]" in inodes:
                found.append((host, int(port, 16)))
    return found


def family(pid: int) -> list[int]:
    found = children(pid)
    return found + [each for child in found for each in family(child)]


def test_it_listens_where_it_was_told_and_nowhere_else(local: LocalCluster) -> None:
    places = listening(local.pid)
    assert {host for host, _ in places} == {LOOPBACK}, places
    assert len(places) == 1 + 2, "a scheduler, and a worker with its nanny"


async def ask_to_run(address: str, keys: Any, marker: Path) -> Any:
    """The call with which Dask's own clients run a function on a scheduler or worker."""
    import distributed

    given = {"function": pickle.dumps(os.mkdir), "args": pickle.dumps((str(marker),)), "wait": True}
    if keys is None:
        connecting = distributed.core.connect(address, timeout=2)
    else:
        connecting = distributed.core.connect(
            address, timeout=2, **keys.get_connection_args("client")
        )
    comm = await connecting
    try:
        await asyncio.wait_for(comm.write({"op": "run", "reply": True, **given}), 5)
        return await asyncio.wait_for(comm.read(), 5)
    finally:
        comm.abort()


@pytest.mark.parametrize("kind", ["plain", "foreign key"])
def test_nobody_without_the_key_runs_anything(
    local: LocalCluster, tmp_path: Path, kind: str
) -> None:
    make_key(tmp_path / "other.pem")
    foreign = load_security(Cluster(local.cluster.address, str(tmp_path / "other.pem")))
    marker = tmp_path / "ran"
    places = listening(local.pid)
    for _, port in places:
        scheme, keys = ("tcp", None) if kind == "plain" else ("tls", foreign)
        with pytest.raises(OSError):
            in_a_loop(ask_to_run(f"{scheme}://127.0.0.1:{port}", keys, marker))
    assert not marker.exists()
    assert len(places) == 3 and listening(local.pid) == places, "all are still there"


def test_whoever_has_the_key_may_run_things(local: LocalCluster, tmp_path: Path) -> None:
    """So that the refusals above are refusals of the key."""
    keys = load_security(local.cluster)
    ran = []
    for _, port in listening(local.pid):
        marker = tmp_path / str(port)
        with contextlib.suppress(OSError):
            in_a_loop(ask_to_run(f"tls://127.0.0.1:{port}", keys, marker))
        ran.append(marker.exists())
    assert sum(ran) >= 2, "the scheduler may want no such call; workers and nannies obey"


def test_a_worker_joins_from_its_own_address_with_the_key(
    local: LocalCluster, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "ludus", "worker", local.cluster.address, "--jobs", "1"]
    environment = os.environ | {"LUDUS_LANG": "en", "LUDUS_HOME": str(tmp_path)}
    refused = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert refused.returncode == 2 and "cannot be read" in refused.stderr
    joined = subprocess.Popen(
        [*command, "--key", local.cluster.key],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with joined:
        try:
            assert joined.stdout is not None
            assert "1 worker is connected to" in joined.stdout.readline()
            places = listening(joined.pid)
            assert len(places) == 2 and {host for host, _ in places} == {LOOPBACK}
            os.killpg(joined.pid, signal.SIGINT)  # as Ctrl-C in a terminal does
            assert joined.communicate() == ("", "interrupted\n")
        finally:
            if joined.poll() is None:
                joined.terminate()


def test_a_key_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "home" / "cluster.pem"
    make_key(path)
    first = path.read_bytes()
    make_key(path)
    assert path.read_bytes() == first
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["cluster.pem"]


def test_what_dask_is_configured_with_counts_where_no_key_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dask
    import distributed  # noqa: F401  before set(), which otherwise takes all its defaults away again

    path = tmp_path / "theirs.pem"
    make_key(path)
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "none"))
    names = ("ca-file", "client.cert", "client.key")
    with dask.config.set({f"distributed.comm.tls.{name}": str(path) for name in names}):
        found = load_security(Cluster("tls://127.0.0.1:1"))
    assert found.tls_ca_file == str(path) and found.require_encryption
