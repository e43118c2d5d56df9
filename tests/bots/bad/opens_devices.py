"""Opens the machine's memory, its disks and its terminal, and makes devices of its own."""

import fcntl
import glob
import os
import stat

import attack

VERDICT = "rules"
PATTERNS = (
    *("/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/kvm", "/dev/fuse", "/dev/tty*"),
    *("/dev/[hsv]d*", "/dev/nvme*", "/dev/loop*", "/dev/dm-*", "/dev/mapper/*", "/dev/console"),
    *("/dev/net/*", "/dev/vhost*", "/dev/ptmx", "/dev/pts/*", "/dev/userfaultfd", "/dev/uinput"),
)
TIOCSTI, TIOCLINUX = 0x5412, 0x541C


class Player(attack.Player):
    def attacks(self):
        for pattern in PATTERNS:
            for path in glob.glob(pattern):
                yield path, lambda path=path: os.open(path, os.O_RDONLY) and "it opens"
        for fd in range(3):
            yield f"type {fd}", lambda fd=fd: fcntl.ioctl(fd, TIOCSTI, b"x") and "typed"
            yield f"paste {fd}", lambda fd=fd: fcntl.ioctl(fd, TIOCLINUX, b"\3") and "pasted"
        for name, kind in (("disk", stat.S_IFBLK), ("memory", stat.S_IFCHR)):
            yield f"make a {name}", lambda kind=kind: self.make(kind)

    def make(self, kind):
        os.mknod("/tmp/device", kind | 0o600, os.makedev(1, 1))
        return os.open("/tmp/device", os.O_RDONLY) and "it opens"
