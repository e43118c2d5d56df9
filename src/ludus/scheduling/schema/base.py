"""What all tables have in common."""

from __future__ import annotations

from sqlalchemy import BigInteger, Integer, MetaData, String
from sqlalchemy.orm import DeclarativeBase

BIG_ID = BigInteger().with_variant(Integer, "sqlite")
"""Of rows that come by the million; SQLite numbers only INTEGER keys by itself."""
TIME = String(32)
"""ISO text in UTC such as 2026-06-01T18:00:00Z, which sorts as it is."""


class Base(DeclarativeBase):
    """All tables of Ludus. Every constraint has a name, so that migrations can speak of it."""

    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
        }
    )
