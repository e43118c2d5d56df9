"""Functions that a limited process is asked to carry out."""

import os
import signal

from ludus.errors import LudusError


def double(number: int, data: bytes) -> tuple[int, bytes]:
    return 2 * number, data + data


def refuse(word: str) -> None:
    raise LudusError(f"{word} is refused", f"拒绝 {word}", "because")


def spin() -> None:
    while True:
        pass


def eat() -> int:
    return len(bytearray(1 << 40))


def die() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def sleep() -> None:
    signal.pause()


def write(path: str) -> None:
    with open(path, "wb") as file:
        file.write(b"x" * 100_000)


def odd() -> None:
    raise KeyError("odd")


def full() -> None:
    raise OSError(28, "No space left on device")
