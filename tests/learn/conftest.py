"""Programs run for milliseconds here, so compile them fast rather than well."""

import os
from importlib.metadata import PackageNotFoundError, version

QUICK = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
QUICKER = " ".join(
    [
        "--xla_cpu_use_fusion_emitters=false",
        "--xla_cpu_parallel_codegen_split_count=1",
        "--xla_llvm_force_inline_before_split=false",
    ]
)


def quick_flags() -> str:
    try:
        known = version("jaxlib").startswith("0.10.")
    except PackageNotFoundError:
        known = False
    # Half the time; but XLA ends a process that names a flag which it does not know.
    return f"{QUICK} {QUICKER}" if known else QUICK


os.environ.setdefault("XLA_FLAGS", quick_flags())
