"""What a machine's jails cannot stop, and how to get better ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ludus.lang import Text
from ludus.sandbox import cgroups
from ludus.sandbox.launcher import get_zygote
from ludus.sandbox.messages import Abilities, JailLevel

MIN_KERNEL = "Linux ≥ 5.12"
"""The first with mount_setattr, which makes everything below a mount read-only."""


def probe_abilities() -> Abilities:
    """What this machine can do for a jail."""
    return get_zygote().abilities


def list_gaps(level: JailLevel, able: Abilities) -> list[Text]:
    """What a jail of this level cannot stop."""
    if level is JailLevel.STRONG:
        return []
    return list(_list_uncounted() if level is JailLevel.USERNS else _list_unprotected(able))


def _list_uncounted() -> Iterator[Text]:
    yield Text(
        "a program that takes more memory than it may is killed some milliseconds later;"
        " files in its /tmp (64 MB) and loaded libraries come on top",
        "程序占用的内存超出上限后，过几毫秒才被终止；其 /tmp 中的文件（64 MB）和已加载的库另计",
    )


def _list_unprotected(able: Abilities) -> Iterator[Text]:
    if able.landlock:
        yield Text(
            "a bot can see which files exist and how large they are, though not open them",
            "AI 能看到有哪些文件、多大，但打不开",
        )
    else:
        yield Text(
            "a bot can read and change every file that you can",
            "你能读写的文件，AI 都能读写",
        )
    yield Text(
        "a bot that writes more than 64 MB to its /tmp is killed some 100 ms later",
        "AI 向其 /tmp 写入超过 64 MB 后，约 100 毫秒后才被终止",
    )
    yield Text(
        "a bot that takes more memory than it may is killed some milliseconds later",
        "AI 占用的内存超出上限后，过几毫秒才被终止",
    )
    if not able.seccomp:
        yield Text(
            "a bot can use the network, start processes and signal yours",
            "AI 能使用网络、启动进程、向你的进程发信号",
        )


class Remedy(NamedTuple):
    """Something that is missing, and the command that provides it."""

    missing: Text
    command: str


def list_remedies(able: Abilities) -> Iterator[Remedy]:
    """What is missing for the level strong."""
    if able.namespaces:
        why = able.namespaces
        yield Remedy(
            Text(f"no namespaces: {why}", f"无法建立命名空间：{why}"), _namespaces_command()
        )
    if not able.cgroups:
        yield Remedy(
            Text(
                "no control groups that may be written to: memory is limited less exactly",
                "没有可写的控制组：内存限制不够精确",
            ),
            _cgroups_command(),
        )
    if not able.seccomp:
        yield Remedy(
            Text(
                "system calls cannot be filtered on this kernel or processor",
                "此内核或处理器上无法过滤系统调用",
            ),
            f"{MIN_KERNEL}, x86_64 / aarch64, CONFIG_SECCOMP_FILTER",
        )
    if not able.landlock:
        yield Remedy(
            Text(
                "no Landlock (only level plain needs it)",
                "没有 Landlock（仅 plain 级需要）",
            ),
            "Linux ≥ 5.13, lsm=…,landlock",
        )


def _namespaces_command() -> str:
    if tuple(map(int, os.uname().release.split(".")[:2])) < (5, 12):
        return MIN_KERNEL
    settings = {
        "kernel.unprivileged_userns_clone": "0",
        "user.max_user_namespaces": "0",
        "kernel.apparmor_restrict_unprivileged_userns": "1",
    }
    good = {"0": "1", "1": "0"}
    for name, bad in settings.items():
        file = Path("/proc/sys") / name.replace(".", "/")
        if file.exists() and file.read_text().strip() == bad:
            value = "10000" if name.startswith("user.") else good[bad]
            return f"sudo sysctl -w {name}={value}"
    return "docker run --security-opt seccomp=unconfined --cap-add SYS_ADMIN …"


def _cgroups_command() -> str:
    if os.geteuid() == 0:
        if at := cgroups.find_read_only_mount():
            return f"mount -o remount,rw {at}"
        return "mount -t cgroup2 none /sys/fs/cgroup"
    return "systemd-run --user --scope -p Delegate=yes ./ludus …"
