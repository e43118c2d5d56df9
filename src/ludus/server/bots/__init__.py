"""Bots that people uploaded: their files, their versions and the check of a new version."""
