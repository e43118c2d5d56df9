"""Plays matches: referee, clocks, records."""

from ludus.match.record import Record
from ludus.match.referee import play
from ludus.match.series import series

__all__ = ["Record", "play", "series"]
