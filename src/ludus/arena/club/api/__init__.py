"""What people and programs ask of the club over HTTP and WebSockets, thin over its services."""

from ludus.arena.club.api import accounts, desk, teams

ALL = [*accounts.HANDLERS, *teams.HANDLERS, *desk.HANDLERS]
"""Every handler, under ``/api``."""
