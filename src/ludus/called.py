"""How the user calls Ludus."""

from __future__ import annotations

import os


def program_name() -> str:
    """``./ludus`` or ``ludus``, for commands that messages suggest: as the user typed it, but a
    link on the path, which a shell hands on as an absolute path, by its bare name."""
    called = os.environ.get("LUDUS_CALLED", "ludus")
    if os.path.isabs(called):
        import shutil  # seldom needed, and slow to import

        if shutil.which(os.path.basename(called)) == called:
            return os.path.basename(called)
    return called
