"""A server on a free port with an empty home."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from ludus.arena.serve import config, listen
from ludus.arena.services import Arena, Settings
from tests.arena.site import Site, wait_for


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LUDUS_LANG", "en")
    return tmp_path / "home"


@pytest.fixture
def settings() -> Settings:
    """How the server is started; a test module may say otherwise."""
    return Settings(demo=False)


@pytest.fixture
def site(home: Path, settings: Settings) -> Iterator[Site]:
    """A real server on a free port."""
    arena = Arena(settings)
    listener = listen(port=0)
    server = uvicorn.Server(config(arena))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        wait_for(lambda: server.started)
        yield Site(listener.getsockname()[1], arena, home)
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
    assert not thread.is_alive(), "the server did not stop"
