"""The file system of a jail: a new root with what the program needs, and nothing else."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from pathlib import Path

from ludus.sandbox import libc_calls
from ludus.sandbox.messages import KeeperSpec
from ludus.sandbox.output_files import OutputBoundExceeded, walk_tree
from ludus.sandbox.program import BOT_FOLDER
from ludus.sandbox.remove_tree import OPEN_FOLDER_FLAGS

INSIDE_UID = 1000
"""The user that a program is in its user namespace."""
OLD_ROOT = "/.old"
HOST_PROC = "/.proc"
READ_ONLY_MOUNT_FLAGS = libc_calls.MS_RDONLY | libc_calls.MS_NOSUID | libc_calls.MS_NODEV
WRITABLE_MOUNT_FLAGS = libc_calls.MS_NOSUID | libc_calls.MS_NODEV
DEVICES = {"null": "null", "zero": "full", "full": "full", "random": "random", "urandom": "urandom"}
"""Inside → outside. Reading /dev/full gives zeros as well, but it cannot be mapped: a shared
mapping of /dev/zero is memory that no limit of a process counts."""
ROOT_SIZE_BYTES = 256 << 20
MAX_COPIED_BYTES = 64 << 20
MAX_COPIED_FILES = 20_000
VISIBLE_PROC_FILES = {
    *("auxv", "cmdline", "comm", "environ", "limits", "maps", "mem", "stat", "statm", "status"),
    *("cwd", "exe", "root", "fd", "fdinfo", "map_files", "oom_score_adj"),
}
"""What a program sees in /proc/self: what runtimes read, and nothing about the host or other jails.
Everything else that this kernel has there is hidden. Some of it names paths and users (mountinfo,
cgroup, cpuset, attr, uid_map, loginuid); some counts what all processes of the machine do (net,
autogroup, ns) or shows which pages of files other processes have mapped as well (smaps, numa_maps,
pagemap)."""


def build_root(spec: KeeperSpec, program: int) -> None:
    """Build the jail's root and make it this process's root.

    ``program`` is the number of the program's process, which gets an entry in /proc.
    """
    libc_calls.set_host_name("ludus")
    libc_calls.mount("none", "/", "", libc_calls.MS_REC | libc_calls.MS_PRIVATE)
    libc_calls.mount(
        "tmpfs", "/tmp", "tmpfs", WRITABLE_MOUNT_FLAGS, f"size={ROOT_SIZE_BYTES},mode=755"
    )
    os.mkdir(f"/tmp{OLD_ROOT}")
    libc_calls.pivot_root("/tmp", f"/tmp{OLD_ROOT}")
    os.chdir("/")
    os.umask(0o022)
    for path, target in spec.links:
        os.symlink(target, path)
    limits = spec.limits
    mount_tmpfs("/tmp", limits.scratch, limits.scratch_files, "mode=1777")
    for path in spec.runtime:  # after /tmp, for it may lie in the host's /tmp
        bind_host_path(path, path, READ_ONLY_MOUNT_FLAGS)
    make_devices()
    for inside, outside in spec.files:
        place_own_file(inside, outside, spec)
    for inside, outside in spec.writable:
        if spec.uid:
            os.chown(f"{OLD_ROOT}{outside}", spec.uid, spec.uid)
        bind_host_path(inside, outside, WRITABLE_MOUNT_FLAGS)
    user = spec.uid or INSIDE_UID
    for inside in spec.outputs:
        owner = f"mode=755,uid={user},gid={user}"
        mount_tmpfs(inside, limits.output_bytes, 2 * limits.output_files + 16, owner)
    os.makedirs(spec.cwd, exist_ok=True)
    make_etc(user)
    make_proc(spec, program)
    libc_calls.unmount(OLD_ROOT)
    os.rmdir(OLD_ROOT)
    libc_calls.restrict_mount("/", READ_ONLY_MOUNT_FLAGS, recursive=False)


def bind_host_path(inside: str, outside: str, flags: int) -> None:
    """Bind a file or folder of the host; what does not exist is left out."""
    source = f"{OLD_ROOT}{outside}"
    try:
        make_mount_point(inside, folder=os.path.isdir(source))
        libc_calls.mount(source, inside, "", libc_calls.MS_BIND | libc_calls.MS_REC)
    except FileNotFoundError:
        return
    libc_calls.restrict_mount(inside, flags, recursive=True)


def place_own_file(inside: str, outside: str, spec: KeeperSpec) -> None:
    """Show the program one of its own files or folders.

    A file is copied, so that it may be readable by its author alone. A folder is copied if the
    program's user could not read it otherwise, and where several processes run: their /proc shows
    where a mounted folder comes from.
    """
    source = f"{OLD_ROOT}{outside}"
    if not os.path.isdir(source):
        os.makedirs(os.path.dirname(inside), exist_ok=True)
        copy_file(source, inside)
        return
    own = f"{inside}/".startswith(f"{BOT_FOLDER}/")
    needed = (
        spec.uid != 0
        and (own or not is_world_readable(source))
        and not is_tree_world_readable(source)
    )
    hidden = own and spec.limits.processes > 1 and is_small(source)
    if needed or hidden:
        copy_folder(source, inside)
    else:
        bind_host_path(inside, outside, READ_ONLY_MOUNT_FLAGS)


def copy_folder(source: str, target: str) -> None:
    """Copy files, folders and links, readable by every user."""
    os.makedirs(target, exist_ok=True)
    top = os.open(source, OPEN_FOLDER_FLAGS)
    try:
        for entry in walk_tree(top, MAX_COPIED_FILES):
            place = os.path.join(os.fsencode(target), entry.path)
            if stat.S_ISDIR(entry.stat.st_mode):
                os.mkdir(place, 0o755)
            elif stat.S_ISLNK(entry.stat.st_mode):
                os.symlink(os.readlink(entry.name, dir_fd=entry.folder), place)
            elif stat.S_ISREG(entry.stat.st_mode):
                copy_file(os.path.join(os.fsencode(source), entry.path), place)
    except OutputBoundExceeded as error:
        raise OSError(f"{target} has too many {error.what} to be copied") from None
    finally:
        os.close(top)


def copy_file(source: str | bytes, target: str | bytes) -> None:
    """Copy a regular file, without following links or waiting for a pipe.

    A file that was checked when the jail was requested may have become either meanwhile.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with open(os.open(source, flags), "rb") as file, open(target, "wb") as copy:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode):
            name = os.fsdecode(source).removeprefix(OLD_ROOT)
            raise OSError(errno.EINVAL, "not a regular file", name)
        shutil.copyfileobj(file, copy)
        os.fchmod(copy.fileno(), 0o755 if facts.st_mode & 0o111 else 0o644)


def is_world_readable(folder: str) -> bool:
    """Whether every user can read a folder, whatever is in it."""
    return os.stat(folder).st_mode & 0o005 == 0o005


def is_tree_world_readable(folder: str) -> bool:
    """Whether every user can read a folder and all that is in it."""
    if not is_world_readable(folder):
        return False
    top = os.open(folder, OPEN_FOLDER_FLAGS)
    try:
        for entry in walk_tree(top, MAX_COPIED_FILES):
            wanted = 0o005 if stat.S_ISDIR(entry.stat.st_mode) else 0o004
            if entry.stat.st_mode & wanted != wanted:
                return False
    except OutputBoundExceeded:
        pass  # too much to be copied in any case
    finally:
        os.close(top)
    return True


def is_small(folder: str) -> bool:
    """Whether a folder is small enough to be copied for every build."""
    size = 0
    top = os.open(folder, OPEN_FOLDER_FLAGS)
    try:
        for entry in walk_tree(top, MAX_COPIED_FILES):
            size += entry.stat.st_size
            if size > MAX_COPIED_BYTES:
                return False
    except OutputBoundExceeded:
        return False
    finally:
        os.close(top)
    return True


def make_mount_point(path: str, *, folder: bool) -> None:
    """An empty folder or file to mount on."""
    if folder:
        os.makedirs(path, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


def make_devices() -> None:
    os.makedirs("/dev", exist_ok=True)
    quiet = libc_calls.MS_RDONLY | libc_calls.MS_NOSUID | libc_calls.MS_NOEXEC
    for inside, outside in DEVICES.items():
        bind_host_path(f"/dev/{inside}", f"/dev/{outside}", quiet)
    os.symlink("/proc/self/fd", "/dev/fd")
    os.symlink("/tmp", "/dev/shm")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"/dev/{name}")


def mount_tmpfs(path: str, size: int, files: int, options: str) -> None:
    """An empty folder of limited size that can be written to."""
    os.makedirs(path, exist_ok=True)
    libc_calls.mount(
        "tmpfs", path, "tmpfs", WRITABLE_MOUNT_FLAGS, f"size={size},nr_inodes={files},{options}"
    )


def make_etc(uid: int) -> None:
    os.makedirs("/etc", exist_ok=True)
    Path("/etc/passwd").write_text(f"bot:x:{uid}:{uid}::/tmp:/bin/sh\n")
    Path("/etc/group").write_text(f"bot:x:{uid}:\n")


# What a program finds in /proc


def make_proc(spec: KeeperSpec, program: int) -> None:
    """A program that may start no other sees only itself in /proc.

    Of its own entry it sees ``VISIBLE_PROC_FILES``; the others are replaced by an empty file or
    folder. What runtimes ask about the machine (memory, cores) is answered by plain files, which
    say what the program may use.
    """
    os.makedirs("/proc", exist_ok=True)
    flags = READ_ONLY_MOUNT_FLAGS | libc_calls.MS_NOEXEC
    if spec.limits.processes > 1:
        with contextlib.suppress(PermissionError):  # in a container that hides parts of its /proc
            libc_calls.mount("proc", "/proc", "proc", flags, "subset=pid,hidepid=ptraceable")
        return
    os.mkdir("/proc/self")
    os.symlink("self", f"/proc/{program}")
    os.symlink("self", "/proc/thread-self")
    for name, text in system_proc_files(spec).items():
        _write_new(f"/proc/{name}", text)
    os.mkdir(HOST_PROC)
    with contextlib.suppress(PermissionError):
        libc_calls.mount("proc", HOST_PROC, "proc", flags, "subset=pid")
        libc_calls.mount(f"{HOST_PROC}/{program}", "/proc/self", "", libc_calls.MS_BIND)
        libc_calls.unmount(HOST_PROC)  # an empty folder again
        for entry in list(os.scandir("/proc/self")):
            if entry.name not in VISIBLE_PROC_FILES:
                nothing = HOST_PROC if entry.is_dir(follow_symlinks=False) else "/proc/cmdline"
                libc_calls.mount(nothing, entry.path, "", libc_calls.MS_BIND)
        libc_calls.restrict_mount("/proc/self", flags, recursive=True)


def system_proc_files(spec: KeeperSpec) -> dict[str, str]:
    total = spec.limits.memory >> 10
    memory = dict.fromkeys(("MemTotal", "MemFree", "MemAvailable"), total)
    memory |= dict.fromkeys(("Buffers", "Cached", "SwapCached", "SwapTotal", "SwapFree"), 0)
    cores = range(spec.cores)
    return {
        "meminfo": "".join(f"{name + ':':<15} {size:>8} kB\n" for name, size in memory.items()),
        "cpuinfo": "".join(
            f"processor\t: {n}\nmodel name\t: core\ncpu MHz\t\t: 0\n\n" for n in cores
        ),
        "stat": "".join(f"cpu{n} 0 0 0 0 0 0 0 0 0 0\n" for n in (" ", *cores)),
        "sys/vm/overcommit_memory": "0\n",
        "cmdline": "",
    }


def _write_new(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    file = os.open(path, os.O_CREAT | os.O_WRONLY, 0o644)
    os.write(file, text.encode())
    os.close(file)
