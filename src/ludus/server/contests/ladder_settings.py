"""The settings of a game's ladder."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sql
from sqlalchemy.orm import Session

from ludus.contest.model import draw_seed
from ludus.scheduling.schema import ContestRow
from ludus.scheduling.schema.contests import LADDER
from ludus.server.admin.site_settings import SiteSettings


def make_ladder_settings(game: str, site: SiteSettings) -> dict[str, Any]:
    """All settings but the seed."""
    return {
        "game": game,
        "options": site.ladder_options.get(game, {}),
        "clock": site.ladder_clock.get(game, {}),
        "format": {"name": "ladder", "rounds": 0, "enough": site.ladder_enough},
        "match": {"bouts": 2},
        "openings": site.ladder_openings.get(game, ""),
        "jail": site.jail,
    }


def find_ladder(session: Session, game: str) -> ContestRow | None:
    """The current ladder of a game; earlier ones had other settings."""
    query = sql.select(ContestRow).where(ContestRow.kind == LADDER, ContestRow.game == game)
    return session.scalars(query.order_by(ContestRow.id.desc())).first()


OLD_SHARED_SEED = 2048
"""The seed that all ladders once shared. It is public, so a ladder that still has it gets
another."""


def choose_ladder_seed(ladder: ContestRow | None) -> int:
    """The seed of a ladder, or a new one. It is never shown."""
    kept = None if ladder is None else ladder.settings.get("seed")
    return draw_seed() if kept in (None, OLD_SHARED_SEED) else int(kept)


def have_same_terms(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether bouts under these settings can be counted together."""
    return all(one.get(key, {}) == other.get(key, {}) for key in ("options", "clock"))
