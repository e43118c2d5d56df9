"""Short Python programs in a jail, at each level."""

import os
import sys
import textwrap
from pathlib import Path

import pytest

from ludus import sandbox
from ludus.sandbox import JailLevel, Limits, Program

BAD = Path(__file__).parents[1] / "bots" / "bad"


CPYTHON = os.path.realpath(sys.executable)


MB = 1 << 20


HELD_BY_THE_JAIL = (
    *("becomes_root", "busy_threads", "closes_its_pipes_and_stays", "daemonises", "dumps_core"),
    *("eats_10_gigabytes", "eats_memory", "eats_memory_in_threads", "eats_slowly", "fills_tmp"),
    *("fork_bomb", "forks", "forks_and_leaves", "huge_files", "idle_threads", "ignores_terminate"),
    *("inherits_descriptors", "interrupts", "interrupts_its_keeper", "kills_itself"),
    *("leases_and_watches", "leaves_its_jail", "links", "many_descriptors", "many_files"),
    *("memory_files", "opens_devices", "opens_sockets", "overflows_the_stack"),
    *("raises_its_limits", "rare_system_calls", "reads_other_processes", "reads_secrets"),
    *("reads_the_environment", "reads_the_opponent", "resolves_names", "sets_the_clock"),
    *("shares_memory", "sheds_its_ties", "signals_everybody", "starts_programs"),
    *("stops_its_own_clock", "stops_itself", "thousands_of_threads", "traces_processes"),
    *("writes_everywhere", "writes_its_own_file"),
)
"""The bad bots that the kernel stops: by limits, control groups, namespaces, filters or rights.
What the others get for theirs is decided by the referee, whatever the jail."""


ALIKE_FOR_EVERYBODY = (
    *("busy_threads", "closes_its_pipes_and_stays", "dumps_core", "eats_10_gigabytes"),
    *("eats_memory_in_threads", "eats_slowly", "huge_files", "idle_threads", "ignores_terminate"),
    *("interrupts", "kills_itself", "many_descriptors", "memory_files", "overflows_the_stack"),
    *("shares_memory", "stops_its_own_clock", "stops_itself"),
)
"""Those of them that meet a limit or a clock that is the same whether or not root set it."""


MEET_A_LIMIT = (
    *("busy_threads", "eats_10_gigabytes", "eats_memory", "eats_memory_in_threads", "eats_slowly"),
    *("fills_tmp", "fork_bomb", "huge_files", "many_files", "memory_files", "shares_memory"),
    "thousands_of_threads",
)
"""Those of them that meet what level strong counts by a control group and level userns, which is
like it in all else, counts as level plain does."""


@pytest.fixture(params=["strong", "userns", "plain"])
def level(request: pytest.FixtureRequest) -> JailLevel:
    if request.param not in sandbox.list_levels():
        pytest.skip(f"no jail of level {request.param} on this machine")
    return JailLevel(request.param)


def python(code: str, **given: object) -> Program:
    """A Python program without Ludus."""
    files = {sys.base_prefix: Path(sys.base_prefix)} if sys.base_prefix != "/usr" else {}
    argv = (CPYTHON, "-I", "-S", "-c", textwrap.dedent(code))
    return Program(argv=argv, files=files | given.pop("files", {}), cwd="/tmp", **given)


def run(
    code: str, level: JailLevel, *, seconds: float = 20, **limits: int
) -> sandbox.FinishedProgram:
    return sandbox.run(python(code), seconds=seconds, limits=Limits(**limits), level=level)
