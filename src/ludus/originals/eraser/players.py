"""The players of the original's tools: modules in the current folder, called by their names."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

from ludus.bots.local import own_trace
from ludus.errors import LudusError
from ludus.games.eraser.dialect import PlaserHost


def load(name: str) -> ModuleType:
    """The module in a file, ``name`` or ``name.py``; files beside it can be imported."""
    path = Path(name if name.endswith(".py") else f"{name}.py").resolve()
    if not path.is_file():
        raise LudusError(
            f"there is no player {name!r}: no such Python file; you are in {os.getcwd()}",
            f"没有选手 {name!r}：找不到该 Python 文件；当前文件夹是 {os.getcwd()}",
        )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    for known, ours in PlaserHost.modules.items():
        sys.modules.setdefault(known, importlib.import_module(ours))
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        what = f"{type(error).__name__}: {error}"
        raise LudusError(
            f"{name} cannot be imported: it raised {what}",
            f"{name} 无法导入：抛出 {what}",
            own_trace(error),
        ) from None
    if not hasattr(module, "Plaser"):
        raise LudusError(f"{name} has no class Plaser", f"{name} 中没有 Plaser 类")
    return module
