"""The seccomp filter, executed step by step as the kernel would, for both processors."""

import errno
import struct

import pytest

from ludus.bots.sandbox import calls

ALLOW = "allow"


def decide(code: bytes, architecture: int, number: int, *arguments: int) -> str:
    """What the kernel would do with a call."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    steps = [struct.unpack_from("=HBBI", code, at) for at in range(0, len(code), 8)]
    at, value = 0, 0
    while True:
        kind, then, otherwise, constant = steps[at]
        at += 1
        if kind == calls.LOAD:
            (value,) = struct.unpack_from("=I", data, constant)
        elif kind == calls.AND:
            value &= constant
        elif kind == calls.RETURN:
            if constant & 0xFFFF0000 == calls.REFUSE:
                return errno.errorcode[constant & 0xFFFF]
            return {calls.ALLOW: ALLOW, calls.KILL: "kill"}[constant]
        else:
            true = {
                calls.IF_EQUAL: value == constant,
                calls.IF_NOT_LESS: value >= constant,
                calls.IF_ANY_BIT: value & constant != 0,
            }[kind]
            at += then if true else otherwise


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    monkeypatch.setattr(calls, "MACHINE", request.param)
    return calls.ARCHITECTURES[request.param]


READ = (0, 63)


def test_what_no_bot_needs_is_refused_and_the_rest_allowed(machine: tuple[int, int]) -> None:
    architecture, column = machine
    code = calls.build(processes=False, counted=True, alone=0)
    for name, numbers in calls.ALWAYS.items():
        if numbers[column] >= 0:
            assert decide(code, architecture, numbers[column]) == "EPERM", name
    assert decide(code, architecture, READ[column]) == ALLOW
    assert decide(code, architecture, calls.MMAP[column], 0, 0, 0, 0x21) == ALLOW
    for numbers in calls.ONLY_TO_ITSELF.values():
        assert decide(code, architecture, numbers[column], 1) == ALLOW


def test_threads_yes_processes_and_namespaces_no(machine: tuple[int, int]) -> None:
    architecture, column = machine
    thread, fork, namespace = 0x3D0F00 | calls.CLONE_THREAD, 0x11, 0x20000000 | 0x11
    alone = calls.build(processes=False, counted=True, alone=0)
    several = calls.build(processes=True, counted=True, alone=0)
    clone = calls.CLONE[column]
    assert decide(alone, architecture, clone, thread) == ALLOW
    assert decide(alone, architecture, clone, fork) == "EAGAIN"
    assert decide(several, architecture, clone, fork) == ALLOW
    for code in (alone, several):
        assert decide(code, architecture, clone, namespace) == "EPERM"
        assert decide(code, architecture, clone, namespace | thread) == "EPERM"
        assert decide(code, architecture, calls.CLONE3[column], 0) == "ENOSYS"
        assert decide(code, architecture, READ[column]) == ALLOW
    if column == 0:
        assert decide(alone, architecture, calls.FORK[0]) == "EAGAIN"
        assert decide(several, architecture, calls.FORK[0]) == ALLOW


def test_memory_that_no_limit_counts_is_refused(machine: tuple[int, int]) -> None:
    architecture, column = machine
    code = calls.build(processes=False, counted=False, alone=0)
    mmap = calls.MMAP[column]
    assert decide(code, architecture, mmap, 0, 4096, 3, 0x21) == "ENOMEM"
    assert decide(code, architecture, mmap, 0, 4096, 3, 0x4021) == "ENOMEM"
    for private_or_file in (0x22, 0x01, 0x02):
        assert decide(code, architecture, mmap, 0, 4096, 3, private_or_file) == ALLOW


def test_without_a_namespace_only_itself_can_be_signalled(machine: tuple[int, int]) -> None:
    architecture, column = machine
    code = calls.build(processes=False, counted=False, alone=4242)
    for name, numbers in calls.ONLY_TO_ITSELF.items():
        number = numbers[column]
        assert decide(code, architecture, number, 4242) == ALLOW
        for other in (1, 4243, 2**32 - 1):
            assert decide(code, architecture, number, other) == "EPERM", name
        to_nobody = decide(code, architecture, number, 0)
        assert to_nobody == (ALLOW if name == "prlimit64" else "EPERM")
    for name, numbers in calls.WITHOUT_NAMESPACES.items():
        if numbers[column] >= 0:
            assert decide(code, architecture, numbers[column]) == "EPERM", name


def test_other_architectures_calls_are_not_let_through(machine: tuple[int, int]) -> None:
    architecture, column = machine
    code = calls.build(processes=True, counted=True, alone=0)
    assert decide(code, 0x40000003, READ[column]) == "kill"  # 32-bit calls have other numbers
    assert decide(code, architecture, calls.X32 | READ[column]) == "ENOSYS"


def test_the_filter_is_within_the_kernels_limit() -> None:
    assert len(calls.build(processes=False, counted=False, alone=1)) // 8 <= 4096
