"""Contests, ladders and challenges of the server."""
