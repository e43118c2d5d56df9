"""The template: a process with Python and the rules loaded, from which keepers are forked.

A request names the installed game and the modules that a bot will need, and brings descriptors
that are passed on unread. So the memory of what is forked from it, a stranger's bot for instance,
contains nothing about other bots, earlier bouts or the host's files.
"""

from __future__ import annotations

import array
import contextlib
import functools
import gc
import importlib
import os
import site
import socket
import sys
from pathlib import Path
from typing import NoReturn

import msgspec

from ludus.sandbox import libc_calls
from ludus.sandbox.install_prefix import is_shared, list_python_library
from ludus.sandbox.keeper import PIPE_COUNT, run_keeper
from ludus.sandbox.messages import MSG_JAIL_FAILED, ForkRequest

OWN_PACKAGE = "ludus"
MAX_MESSAGE_BYTES = 1 << 16
"""Bytes of a message."""
MAX_DESCRIPTORS = 16


def receive(control: socket.socket) -> tuple[bytes, list[int]]:
    """A message and the descriptors that came with it."""
    files = array.array("i")
    space = socket.CMSG_SPACE(MAX_DESCRIPTORS * files.itemsize)
    message, ancillary, _, _ = control.recvmsg(MAX_MESSAGE_BYTES, space, socket.MSG_CMSG_CLOEXEC)
    for _, _, data in ancillary:
        files.frombytes(data[: len(data) - len(data) % files.itemsize])
    return message, list(files)


def serve(control: socket.socket) -> NoReturn:
    """Fork a keeper for every request and answer with its number, until the zygote has gone."""
    list_python_folders(OWN_PACKAGE)  # before the first jail waits for it
    outside = os.geteuid(), os.getegid()
    decoder = msgspec.json.Decoder(ForkRequest)
    gc.collect()
    gc.freeze()
    while True:
        message, files = receive(control)
        if not message:
            os._exit(0)
        keeper = 0
        try:
            request = decoder.decode(message)
            folders = list_python_folders(OWN_PACKAGE, preload(request))
            keeper = libc_calls.clone(request.flags | libc_calls.CLONE_PARENT)
            if keeper == 0:
                run_keeper(request, files, folders, outside)
        except Exception as error:
            with contextlib.suppress(OSError):
                os.write(files[PIPE_COUNT - 1], MSG_JAIL_FAILED + f"{error}".encode())
        for file in files:
            os.close(file)
        control.send(keeper.to_bytes(4, "little"))


def preload(request: ForkRequest) -> str:
    """Load what the bot will need, so that its fork has it, and so have later ones.

    Returns the package of the game.
    """
    package = OWN_PACKAGE
    if request.runner:
        known = len(sys.modules)
        package = importlib.import_module(request.runner).preload(request.game) or OWN_PACKAGE
        if len(sys.modules) > known:
            gc.freeze()
    for name in request.imports:
        if name not in sys.modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
                gc.freeze()
    return package


@functools.cache
def list_python_folders(*packages: str) -> list[str]:
    """The folders of this Python, of what is installed in it, and of some packages; without the
    system's own folders.

    Folders of PYTHONPATH are left out, except for those packages: the user may name any folder.
    """
    named = {os.path.abspath(p) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep)}
    named -= {*site.getsitepackages(), site.getusersitepackages()}
    places = {place for place in sys.path if place not in named}
    for prefix in {sys.base_prefix, sys.prefix}:
        shared = is_shared(Path(prefix))
        places |= set(map(str, list_python_library(Path(prefix)))) if shared else {prefix}
    for name in packages:
        file = getattr(sys.modules.get(name), "__file__", None)
        if file:
            places.add(os.path.dirname(file) if file.endswith("__init__.py") else file)
    real = sorted({os.path.realpath(place) for place in places if os.path.exists(place)})
    return [
        place
        for place in real
        if not any(
            place == top or place.startswith(f"{top}/") for top in ("/usr", *set(real) - {place})
        )
    ]
