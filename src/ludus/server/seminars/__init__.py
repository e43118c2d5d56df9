"""Seminars: a bout that staff replays for others, without names."""
