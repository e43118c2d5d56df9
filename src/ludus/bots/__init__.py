"""Bots: finding, building, loading and running the programs that answer with moves."""
