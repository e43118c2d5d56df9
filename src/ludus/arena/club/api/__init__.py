"""What people and programs ask of the club over HTTP and WebSockets, thin over its services."""

from ludus.arena.club.api import accounts, bots, contests, desk, playing, sockets, teams

PARTS = (accounts, teams, bots, playing, contests, desk)
ALL = [handler for part in PARTS for handler in part.HANDLERS]
"""Every handler, under ``/api``."""
SOCKETS = sockets.HANDLERS
"""Every socket, under ``/ws``."""
