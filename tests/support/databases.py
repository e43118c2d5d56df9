"""Databases without data."""

import sqlalchemy as sql

from ludus.scheduling.database import connect


def emptied(url: str) -> str:
    with connect(url).begin() as connection:
        connection.execute(sql.text("DROP SCHEMA public CASCADE"))
        connection.execute(sql.text("CREATE SCHEMA public"))
    return url
