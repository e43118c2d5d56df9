"""Similar submissions: given code, and pairs that the staff has settled."""

from __future__ import annotations

from sqlalchemy import ForeignKey, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from ludus.scheduling.schema.base import TIME, Base


class BaseCodeRow(Base):
    """Code that people were given: what submissions share with it does not count as similar."""

    __tablename__ = "base_code"

    id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(String(60), index=True)
    group_id: Mapped[int | None] = mapped_column(ForeignKey("groups.id"))
    """The class that was given it; None: all people."""
    title: Mapped[str] = mapped_column(String(60))
    data: Mapped[bytes] = mapped_column(LargeBinary)
    """Its files, as a zip."""
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    created_at: Mapped[str] = mapped_column(TIME)


class SettledPairRow(Base):
    """Two similar versions that the staff has looked at."""

    __tablename__ = "settled_pairs"

    first_version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    """The older one."""
    second_version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    reason: Mapped[str] = mapped_column(Text)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    settled_at: Mapped[str] = mapped_column(TIME)
