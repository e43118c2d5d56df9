"""Control groups: where they can be made, on machines of every kind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ludus.sandbox import cgroups, probe_abilities
from ludus.sandbox.cgroups import Cgroup, CgroupRoot
from ludus.sandbox.program import Limits
from tests.support import as_ordinary_user


def pretend(monkeypatch: pytest.MonkeyPatch, own: dict[str, str], mounts: list[tuple]) -> None:
    monkeypatch.setattr(cgroups, "_own_groups", lambda: iter(own.items()))
    monkeypatch.setattr(cgroups, "_mounts", lambda: iter(mounts))


def candidates(own: dict[str, str]) -> list[CgroupRoot]:
    return [*cgroups._find_v2_roots(own), *cgroups._find_v1_roots(own)]


def test_version_2_is_looked_for_upwards(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {"": "/user.slice/app.slice/terminal.scope"}
    at = Path("/sys/fs/cgroup")
    pretend(monkeypatch, own, [(at, "/", "cgroup2", {"rw"})])
    folders = [base.folders["memory"] for base in candidates(own)]
    slices = at / "user.slice"
    assert folders == [
        slices / "app.slice" / "terminal.scope",
        slices / "app.slice",
        slices,
        at,
    ]
    assert all(base.version == 2 for base in candidates(own))


def test_version_1_has_a_folder_per_controller(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {"memory": "/job", "pids": "/", "cpu": "/job"}
    mounts = [
        (Path("/sys/fs/cgroup/memory"), "/", "cgroup", {"rw", "memory"}),
        (Path("/sys/fs/cgroup/pids"), "/", "cgroup", {"rw", "pids"}),
    ]
    pretend(monkeypatch, own, mounts)
    (base,) = candidates(own)
    assert base.version == 1
    assert base.folders == {
        "memory": Path("/sys/fs/cgroup/memory/job"),
        "pids": Path("/sys/fs/cgroup/pids"),
    }


def test_in_a_container_the_mount_begins_at_its_own_group(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {"": "/docker/abc/inner"}
    pretend(monkeypatch, own, [(Path("/sys/fs/cgroup"), "/docker/abc", "cgroup2", set())])
    assert candidates(own)[0].folders["pids"] == Path("/sys/fs/cgroup/inner")


def test_controllers_are_asked_for_together(tmp_path: Path) -> None:
    """The kernel grants pids alone to a group that holds processes, and changes its kind for it."""
    cgroups._try_root(CgroupRoot(2, dict.fromkeys(cgroups.CONTROLLERS, tmp_path)))
    assert (tmp_path / "cgroup.subtree_control").read_text() == "+memory +pids"


def test_without_groups_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, {}, [])
    assert cgroups.find_root() is None


@pytest.mark.parametrize(
    ("version", "texts", "found"),
    [
        (
            1,
            {
                "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
                "memory.max_usage_in_bytes": "1048576\n",
                "pids.events": "max 7\n",
            },
            {"oom": 2, "peak": 1048576, "refused": 7},
        ),
        (
            2,
            {
                "memory.events": "low 0\nhigh 0\nmax 9\noom 3\noom_kill 1\noom_group_kill 0\n",
                "memory.peak": "4096\n",
                "pids.events": "max 0\n",
            },
            {"oom": 1, "peak": 4096, "refused": 0},
        ),
        (2, {"memory.events": "oom_kill 1\n"}, {"oom": 1}),  # before Linux 5.19: no memory.peak
    ],
)
def test_what_the_kernel_counted_is_read(
    tmp_path: Path, version: int, texts: dict[str, str], found: dict[str, int]
) -> None:
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    group = Cgroup(version, dict.fromkeys(cgroups.CONTROLLERS, tmp_path))
    group.open_event_files()
    assert group.read_events() == found
    for file in group.event_files.values():
        os.close(file)


def test_groups_of_the_dead_are_swept(tmp_path: Path) -> None:
    gone, here, foreign = "ludus-99999999-1", f"ludus-{os.getpid()}-1", "other"
    for name in (gone, here, foreign):
        (tmp_path / name).mkdir()
    cgroups.sweep_groups(CgroupRoot(2, dict.fromkeys(cgroups.CONTROLLERS, tmp_path)))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([here, foreign])


def test_a_real_group_is_made_and_removed() -> None:
    if not probe_abilities().cgroups:
        pytest.skip("no control groups can be written to here")
    base = cgroups.find_root()
    assert base is not None
    group = cgroups.make_group(base, f"{os.getpid()}-test", Limits(memory=64 << 20))
    assert all(folder.is_dir() for folder in group.folders.values())
    assert group.read_events()["oom"] == 0
    group.close()
    assert group.remove()
    assert not any(folder.exists() for folder in group.folders.values())


WHAT_IS_FOUND = "from ludus import sandbox; print(*sandbox.levels())"


@pytest.mark.elsewhere(probe_abilities().cgroups != 2 or os.geteuid() != 0)
def test_who_was_given_a_group_with_its_processes_makes_room_in_it() -> None:
    """Root gives away a group of version 2."""
    base = cgroups.find_root()
    assert base is not None
    group = cgroups.make_group(base, f"{os.getpid()}-given", Limits())
    folder = group.folders["memory"]
    for file in (folder, *(folder / f"cgroup.{name}" for name in ("procs", "subtree_control"))):
        os.chown(file, as_ordinary_user.NOBODY, as_ordinary_user.NOBODY)
    user = [sys.executable, as_ordinary_user.__file__, sys.executable, "-c", WHAT_IS_FOUND]
    try:
        for _ in range(2):  # the second finds that group there
            found = subprocess.run(user, preexec_fn=group.join, stdout=subprocess.PIPE, text=True)
            assert found.stdout.split()[0] == "strong"
            assert not list(folder.glob("ludus-[0-9]*"))
            assert (folder / cgroups.UNJAILED_GROUP / "cgroup.procs").read_text() == ""
            (folder / "cgroup.subtree_control").write_text("-memory -pids")
    finally:
        group.close()
        (folder / cgroups.UNJAILED_GROUP).rmdir()
        assert group.remove()


def test_nobody_is_moved_where_it_would_not_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cgroup.controllers").write_text("cpu pids")
    pretend(monkeypatch, {"": "/"}, [(tmp_path, "/", "cgroup2", {"rw"})])
    assert cgroups._make_delegated_root({"": "/"}) is None
    assert not (tmp_path / cgroups.UNJAILED_GROUP).exists()
