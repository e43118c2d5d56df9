"""A server on a free port with an empty home."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.server.accounts import credentials
from ludus.server.state import ServerSettings
from tests.support.accounts import Person, log_in, register
from tests.support.site import Site, served, served_for_module


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[tuple[int, int]]:
    """Hundreds of people log in here, and none of their passwords is worth the usual effort;
    gives what that is."""
    usual = credentials.ARGON2_COST
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(credentials, "ARGON2_COST", (1, 8))
        yield usual


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LUDUS_LANG", "en")
    return tmp_path / "home"


@pytest.fixture
def settings() -> ServerSettings:
    """How the server is started; a test module may say otherwise."""
    return ServerSettings(demo=False)


@pytest.fixture
def site(home: Path, settings: ServerSettings) -> Iterator[Site]:
    with served(home, settings) as site:
        yield site


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server for all tests of a module that leave it as it was."""
    home = tmp_path_factory.mktemp("shared")
    with served_for_module(home, ServerSettings(demo=False)) as site:
        yield site


@pytest.fixture(scope="module")
def organiser(shared: Site) -> Person:
    """The organiser of the server that the tests of a module share."""
    return register(shared, "Olga")


@pytest.fixture(scope="module")
def playing_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with a background process and an organiser, for all tests of a module."""
    home = tmp_path_factory.mktemp("site")
    with served_for_module(home, ServerSettings(demo=False, jobs=1)) as site:
        register(site, "Olga")
        yield site


@pytest.fixture
def olga(playing_site: Site) -> Person:
    """The organiser."""
    return log_in(playing_site, "Olga")
