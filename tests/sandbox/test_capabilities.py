"""What is told to people whose machine could do better."""

import os
from pathlib import Path

import pytest

from ludus.sandbox import Abilities, capabilities, cgroups, list_remedies

WITHOUT_NAMESPACES = Abilities(cgroups=2, namespaces="why", seccomp=True, landlock=5)
WITHOUT_GROUPS = Abilities(cgroups=0, namespaces="", seccomp=True, landlock=5)


class Machine:
    """Of some kernel."""

    def __init__(self, release: str) -> None:
        self.release = release


@pytest.mark.parametrize("release", ["5.10.0-30-cloud-amd64", "4.19", "5.4.0-rc1"])
def test_an_old_kernel_is_named_as_the_reason(
    release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capabilities.os, "uname", lambda: Machine(release))
    (remedy,) = list_remedies(WITHOUT_NAMESPACES)
    assert remedy.command == "Linux ≥ 5.12"


def test_a_new_kernel_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capabilities.os, "uname", lambda: Machine("6.1.0-50-cloud-amd64"))
    (remedy,) = list_remedies(WITHOUT_NAMESPACES)
    assert "5.12" not in remedy.command


def test_groups_that_can_only_be_read_are_to_be_remounted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capabilities.os, "geteuid", lambda: 0)
    monkeypatch.setattr(cgroups, "_mounts", lambda: iter([(tmp_path, "/", "cgroup2", set())]))
    assert next(iter(list_remedies(WITHOUT_GROUPS))).command.startswith("mount -t cgroup2")
    flags = os.statvfs(tmp_path).f_flag | os.ST_RDONLY
    monkeypatch.setattr(cgroups.os, "statvfs", lambda _: type("Facts", (), {"f_flag": flags}))
    assert next(iter(list_remedies(WITHOUT_GROUPS))).command == f"mount -o remount,rw {tmp_path}"
