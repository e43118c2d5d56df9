"""The services that handlers ask for by name; each gets those it uses, not the whole server."""

from litestar.di import NamedDependency, Provide

from ludus.server.accounts.context import SiteContext
from ludus.server.background.supervisor import BackgroundSupervisor
from ludus.server.bots.catalogue import BotCatalogue
from ludus.server.database import Database
from ludus.server.live.hub import LiveHub
from ludus.server.records.library import RecordLibrary
from ludus.server.rooms.rooms import Rooms
from ludus.server.state import InjectedState

InjectedSite = NamedDependency[SiteContext]
InjectedDatabase = NamedDependency[Database]
InjectedBackground = NamedDependency[BackgroundSupervisor]
InjectedHub = NamedDependency[LiveHub]
InjectedRooms = NamedDependency[Rooms]
InjectedLibrary = NamedDependency[RecordLibrary]
InjectedBotCatalogue = NamedDependency[BotCatalogue]


def _get_site(arena: InjectedState) -> SiteContext:
    return arena.site


def _get_database(arena: InjectedState) -> Database:
    return arena.site.database


def _get_background(arena: InjectedState) -> BackgroundSupervisor:
    return arena.background


def _get_hub(arena: InjectedState) -> LiveHub:
    return arena.hub


def _get_rooms(arena: InjectedState) -> Rooms:
    return arena.rooms


def _get_library(arena: InjectedState) -> RecordLibrary:
    return arena.library


def _get_bot_catalogue(arena: InjectedState) -> BotCatalogue:
    return arena.bot_catalogue


SERVICES = {
    "site": Provide(_get_site, sync_to_thread=False),
    "database": Provide(_get_database, sync_to_thread=False),
    "background": Provide(_get_background, sync_to_thread=False),
    "hub": Provide(_get_hub, sync_to_thread=False),
    "rooms": Provide(_get_rooms, sync_to_thread=False),
    "library": Provide(_get_library, sync_to_thread=False),
    "bot_catalogue": Provide(_get_bot_catalogue, sync_to_thread=False),
}
"""By the name under which a handler asks for it."""
