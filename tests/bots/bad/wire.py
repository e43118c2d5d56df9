"""For bots that meddle with the protocol: what the runner would say, said by the bot itself."""

import fcntl
import json
import os
import stat
import sys
import time


def pipes():
    """The descriptors, beyond the standard three, that are pipes one can write to."""
    found = []
    for fd in range(3, 1024):
        try:
            is_pipe = stat.S_ISFIFO(os.fstat(fd).st_mode)
            mode = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE
        except OSError:
            continue
        if is_pipe and mode != os.O_RDONLY:
            found.append(fd)
    return found


def send(data):
    """Into every such pipe: the referee's is among them."""
    assert pipes(), "the runner's pipe should be there"
    for fd in pipes():
        rest = data
        while rest:
            rest = rest[os.write(fd, rest) :]


def send_and_wait(data):
    """So that the referee finds this and nothing else."""
    send(data)
    time.sleep(1000)


def frame(body):
    return len(body).to_bytes(4, "big") + body


def message(**answer):
    return frame(json.dumps(answer).encode())


def say(**answer):
    send_and_wait(message(**answer))


def asked():
    """The number of the turn that is being asked, found in the runner's own variables."""
    caller = sys._getframe()
    while caller is not None:
        for value in caller.f_locals.values():
            if type(value).__name__ == "TurnRequest":
                return value.n
        caller = caller.f_back
    raise AssertionError("nobody asked")
