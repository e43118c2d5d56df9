"""Keeps the ladder of a game up to date: its settings and its entrants."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy.orm import Session

from ludus.bots.resolve import list_house_bots
from ludus.games.registry import get_listed
from ludus.scheduling import contest_rows
from ludus.scheduling.schema import ContestRow, EntrantRow
from ludus.scheduling.schema.contests import CLOSED, LADDER, OVER, RUNNING
from ludus.server.admin.site_settings import SiteSettings
from ludus.server.contests import contest_start, ladder_models, ladder_settings, ladders
from ludus.server.contests.entrants import enter_house_bot, enter_version
from ludus.timestamps import now


def update_ladder(session: Session, game: str, site: SiteSettings) -> ContestRow:
    """Let exactly the chosen versions and the house bots play on a game's ladder.

    A ladder without bots, or one that is switched off, pauses.
    """
    ladder = _open_ladder(session, game, site)
    wanted = list(_enter_candidates(session, ladder, site))
    session.flush()
    playing = {entrant.id for entrant in wanted}
    for entrant in wanted:
        if entrant.dropped:
            contest_rows.rejoin_entrant(session, entrant, 1)
        elif not entrant.joined:
            contest_rows.join_contest(session, entrant)
    for entrant in contest_rows.list_entrants(session, ladder.id):
        if entrant.id not in playing and not entrant.dropped:
            contest_rows.drop_entrant(session, entrant, 1)
    ladder.state = RUNNING if wanted and site.ladders.get(game, True) else CLOSED
    ladders.remove_other_ratings(session, ladder.id, [entrant.name for entrant in wanted])
    return ladder


def _open_ladder(session: Session, game: str, site: SiteSettings) -> ContestRow:
    """The ladder of a game; a new one if there is none with these settings."""
    settings = ladder_settings.make_ladder_settings(game, site)
    ladder = ladder_settings.find_ladder(session, game)
    if ladder is not None and not ladder_settings.have_same_terms(ladder.settings, settings):
        ladder.state, ladder.ended_at = OVER, now()
        ladder = None
    settings["seed"] = ladder_settings.choose_ladder_seed(ladder)
    if ladder is None:
        ladder = contest_start.create_contest(session, LADDER, game, settings)
    if ladder.play_settings is None or settings != ladder.settings:
        ladder.settings, ladder.play_settings = settings, None
        contest_start.begin_contest(session, ladder)
    return ladder


def _enter_candidates(
    session: Session, ladder: ContestRow, site: SiteSettings
) -> Iterator[EntrantRow]:
    """The entrants of the chosen versions and, if there are any, of house bots and models."""
    known = {entrant.name: entrant for entrant in contest_rows.list_entrants(session, ladder.id)}
    by_version = {each.version_id: each for each in known.values() if each.version_id}
    chosen = ladders.list_candidates(session, ladder.game)
    taken = set(known)
    for bot, version in chosen:
        entrant = by_version.get(version.id)
        yield entrant or enter_version(session, ladder, version, bot, taken)
    if chosen:
        game = get_listed(ladder.game)
        usual = ladders.choose_default_house_bots(list(game.bots()))
        house_bots = list_house_bots(game)
        for name in site.ladder_house.get(ladder.game, usual):
            if name in house_bots:
                yield known.get(name) or enter_house_bot(session, ladder, name, taken)
        for name in ladder_models.list_available(ladder.game, site):
            yield known.get(name) or enter_house_bot(session, ladder, name, taken)
