"""Programs run for milliseconds here, so compile them fast rather than well."""

import os

QUICK = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
os.environ.setdefault("XLA_FLAGS", QUICK)
