"""Creation and start of contests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy.orm import Session

from ludus.contest.bout_count import refuse_too_many_bouts
from ludus.contest.formats import apply_seed
from ludus.contest.formats.ladder import separate_owners
from ludus.contest.model import Entrant
from ludus.contest.settings import ContestSettings
from ludus.scheduling import contest_rows
from ludus.scheduling.schema import ContestRow
from ludus.scheduling.schema.contests import CONTEST, RUNNING
from ludus.server.accounts.identity import Identity
from ludus.server.contests.entrants import list_owners_by_entrant
from ludus.timestamps import now


def create_contest(
    session: Session,
    kind: str,
    name: str,
    settings: dict[str, Any],
    *,
    state: str = RUNNING,
    identity: Identity | None = None,
    **more: Any,
) -> ContestRow:
    """Create a contest with valid settings."""
    contest = ContestRow(
        kind=kind,
        name=name,
        game=settings["game"],
        settings=settings,
        state=state,
        author_id=identity.id if identity else None,
        created_at=now(),
        **more,
    )
    contest_rows.add_contest(session, contest)
    refuse_unplayable(contest)
    return contest


def refuse_unplayable(contest: ContestRow, entrants: Sequence[Entrant] = ()) -> None:
    """Raise LudusError for settings that are inconsistent or lead to too many bouts."""
    settings = contest_rows.parse_settings(contest)
    settings.check()
    refuse_too_many_bouts(settings, entrants)


def begin_contest(session: Session, contest: ContestRow) -> None:
    """Fix the settings under which the contest is played from now on."""
    contest_rows.begin_contest(session, contest, make_play_settings(session, contest))


def make_play_settings(session: Session, contest: ContestRow) -> ContestSettings:
    """The settings with which a contest starts.

    In a contest of the ladder format, as on a game's ladder, bots of one owner never meet. Owners
    are fixed here, since every round is planned again from the results. Random choices of the
    format follow from the contest's own seed, which nobody knows beforehand.
    """
    settings = contest_rows.parse_settings(contest)
    if contest.kind != CONTEST:
        return settings
    form = apply_seed(
        separate_owners(settings.format, list_owners_by_entrant(session, contest.id)),
        settings.seed,
    )
    return msgspec.structs.replace(settings, format=form)
