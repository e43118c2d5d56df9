"""Stands for the package in jails of level plain, when Ludus runs from a checkout.

A jail shows the package but not the folder that holds it, which may hold anything. Python looks for
a module by listing such a folder, and at level plain that is refused. This file's folder, which
is inside the package, can be listed; what it finds here loads the real package in its own place.
"""

import importlib.util
import sys
from pathlib import Path

_package = Path(__file__).resolve().parents[3]
_spec = importlib.util.spec_from_file_location(
    "ludus", _package / "__init__.py", submodule_search_locations=[str(_package)]
)
assert _spec is not None and _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
sys.modules["ludus"] = _module
_spec.loader.exec_module(_module)
