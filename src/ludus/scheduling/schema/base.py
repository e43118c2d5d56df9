"""The base class and column types of all tables."""

from __future__ import annotations

from sqlalchemy import BigInteger, Integer, MetaData, String
from sqlalchemy.orm import DeclarativeBase

BIG_ID = BigInteger().with_variant(Integer, "sqlite")
"""The key of tables with millions of rows; SQLite auto-increments INTEGER keys only."""
TIME = String(32)
"""ISO text in UTC such as 2026-06-01T18:00:00Z, which sorts by time."""


class Base(DeclarativeBase):
    """All tables of Ludus. Every constraint has a name, so that migrations can refer to it."""

    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
        }
    )
