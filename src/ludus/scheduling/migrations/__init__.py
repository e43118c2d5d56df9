"""Migrations of the arena's database, run by Alembic; see CONTRIBUTING.md on how to add one."""
