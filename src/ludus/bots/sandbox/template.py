"""The template: a process with Python and the rules loaded, from which keepers are forked.

It is told which installed game a bot will need and which modules, and gets descriptors that it
passes on unread. So what is forked from it, a bot of a stranger among them, finds nothing in its
memory of other bots, of earlier bouts or of the host's files.
"""

from __future__ import annotations

import array
import contextlib
import gc
import importlib
import os
import socket
import sys
from typing import NoReturn

import msgspec

from ludus.bots.sandbox import jail, kernel
from ludus.bots.sandbox.order import BROKEN, Trigger

LARGEST = 1 << 16
"""Bytes of a message."""
DESCRIPTORS = 16


def receive(control: socket.socket) -> tuple[bytes, list[int]]:
    """A message and the descriptors that came with it."""
    files = array.array("i")
    space = socket.CMSG_SPACE(DESCRIPTORS * files.itemsize)
    message, ancillary, _, _ = control.recvmsg(LARGEST, space, socket.MSG_CMSG_CLOEXEC)
    for _, _, data in ancillary:
        files.frombytes(data[: len(data) - len(data) % files.itemsize])
    return message, list(files)


def serve(control: socket.socket) -> NoReturn:
    """Fork a keeper for every trigger and tell its number, until the zygote has gone."""
    folders = python_folders()
    outside = os.geteuid(), os.getegid()
    decoder = msgspec.json.Decoder(Trigger)
    gc.collect()
    gc.freeze()
    while True:
        message, files = receive(control)
        if not message:
            os._exit(0)
        keeper = 0
        try:
            trigger = decoder.decode(message)
            preload(trigger)
            keeper = kernel.clone(trigger.flags | kernel.CLONE_PARENT)
            if keeper == 0:
                jail.keep(trigger, files, folders, outside)
        except Exception as error:
            with contextlib.suppress(OSError):
                os.write(files[jail.PIPES - 1], BROKEN + f"{error}".encode())
        for file in files:
            os.close(file)
        control.send(keeper.to_bytes(4, "little"))


def preload(trigger: Trigger) -> None:
    """Load here what the bot will need, so that it is there at once, now and the next time."""
    if trigger.game:
        from ludus.bots.load import hosts
        from ludus.games.registry import get

        hosts(get(trigger.game))
    for name in trigger.imports:
        if name not in sys.modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
                gc.freeze()


def python_folders() -> list[str]:
    """Where this Python, its packages and Ludus lie, besides the system's own folders."""
    places = {sys.base_prefix, sys.prefix, *sys.path}
    real = sorted({os.path.realpath(place) for place in places if os.path.exists(place)})
    return [
        place
        for place in real
        if not any(
            place == top or place.startswith(f"{top}/") for top in ("/usr", *set(real) - {place})
        )
    ]
