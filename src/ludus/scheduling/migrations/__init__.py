"""Migrations of the database, run by Alembic; CONTRIBUTING.md says how to add one."""
