"""Integrity: submissions that look alike, given code, and what was settled."""
