"""The services that handlers receive as dependencies, so that each gets only those it uses."""

from litestar.di import NamedDependency, Provide

from ludus.server.accounts.context import SiteContext
from ludus.server.background.supervisor import BackgroundSupervisor
from ludus.server.bots.catalogue import BotCatalogue
from ludus.server.database import Database
from ludus.server.live.live_bouts import LiveHub
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


def _get_site(server_state: InjectedState) -> SiteContext:
    return server_state.site


def _get_database(server_state: InjectedState) -> Database:
    return server_state.site.database


def _get_background(server_state: InjectedState) -> BackgroundSupervisor:
    return server_state.background


def _get_hub(server_state: InjectedState) -> LiveHub:
    return server_state.hub


def _get_rooms(server_state: InjectedState) -> Rooms:
    return server_state.rooms


def _get_library(server_state: InjectedState) -> RecordLibrary:
    return server_state.library


def _get_bot_catalogue(server_state: InjectedState) -> BotCatalogue:
    return server_state.bot_catalogue


SERVICES = {
    "site": Provide(_get_site, sync_to_thread=False),
    "database": Provide(_get_database, sync_to_thread=False),
    "background": Provide(_get_background, sync_to_thread=False),
    "hub": Provide(_get_hub, sync_to_thread=False),
    "rooms": Provide(_get_rooms, sync_to_thread=False),
    "library": Provide(_get_library, sync_to_thread=False),
    "bot_catalogue": Provide(_get_bot_catalogue, sync_to_thread=False),
}
"""By the name of the handler parameter that receives them."""
