"""Whoever answers with a move: bots in this process, in a process of their own, programs."""
