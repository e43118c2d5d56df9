"""The public page of a person over HTTP."""

from __future__ import annotations

from litestar import get
from litestar.params import FromPath

from ludus.server.accounts import quotas, users
from ludus.server.accounts.auth import InjectedIdentity
from ludus.server.bots import bots
from ludus.server.bots.bot_schemas import StorageUse
from ludus.server.contests import profiles
from ludus.server.contests.profile_schemas import UserProfile
from ludus.server.paging import MAX_PAGE_ITEMS
from ludus.server.records.bout_filters import BoutFilters
from ludus.server.records.bout_search import search_bouts
from ludus.server.services import InjectedSite


@get("/users/{name:str}", sync_to_thread=True)
def get_user(site: InjectedSite, identity: InjectedIdentity, name: FromPath[str]) -> UserProfile:
    """A person's public page: bots, recent bouts, ratings and best wins."""
    with site.database.reading() as session:
        found = users.get_user_by_name(session, name)
        listed = bots.list_bots(
            session, identity, None, found.name, False, None, MAX_PAGE_ITEMS
        ).items
        ids = [bot.id for bot in listed]
        recent = search_bouts(session, identity, BoutFilters(), None, 20, bot_ids=ids)
        private = identity.organiser or identity.id == found.id
        profile = UserProfile(
            user=users.describe_user(found, private=private),
            bots=listed,
            bouts=recent.items,
            ratings=profiles.list_ratings(session, ids),
            wins=profiles.list_best_wins(session, ids, identity),
        )
        if private:
            most = site.settings.storage_megabytes << 20
            profile.storage = StorageUse(quotas.count_stored_bytes(session, found.id), most)
        return profile


HANDLERS = [get_user]
