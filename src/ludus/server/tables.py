"""Moved to ``ludus.scheduling.schema``."""

from ludus.scheduling.schema import *  # noqa: F403
