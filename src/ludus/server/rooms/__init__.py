"""Rooms, in which people play."""
