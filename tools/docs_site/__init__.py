"""Builds the docs site from docs/: ``tools/docs`` is the command."""
