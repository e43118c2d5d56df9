"""Runs the server: in the foreground until it is interrupted, or in a thread."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import uvicorn

from ludus import logs
from ludus.errors import LudusError
from ludus.home import make_private
from ludus.os_errors import describe_os_error
from ludus.server.state import ServerState
from ludus.server.web.app import make_app
from ludus.server.web.connections import Acceptor, ConnectionLimiter, raise_descriptor_limit
from ludus.server.web.slow_clients import LimitedHttpProtocol, LimitedServerConfig

HOST, PORT = "127.0.0.1", 8048
PORTS_TRIED = 20
MAX_WEBSOCKET_FRAME_BYTES = 64 << 10
"""Bytes of a WebSocket frame from a client."""
ADDRESS_FILE_NAME = "server.json"
"""The file in the home with the server's address; it is locked while the server runs."""


def make_config(server_state: ServerState, **rest: Any) -> LimitedServerConfig:
    """The uvicorn configuration: quiet, and without compression, which costs 300 kB for each
    socket."""
    proxies = server_state.settings.trusted_proxies
    if not logs.is_configured():
        logs.configure("ludus")
    return LimitedServerConfig(
        make_app(server_state),
        ConnectionLimiter(server_state.settings.limits, proxies),
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        ws_max_size=MAX_WEBSOCKET_FRAME_BYTES,
        ws_per_message_deflate=False,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        **rest,
    )


def listen(host: str = HOST, port: int | None = None) -> socket.socket:
    """A listening socket on that port; without one, on the default port or the next free one."""
    ports = range(PORT, PORT + PORTS_TRIED) if port is None else [port]
    for number in ports:
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            listener = socket.create_server((host, number), family=family, backlog=2048)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # inherited
            return listener
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                why = describe_os_error(error)
                raise LudusError(
                    f"cannot listen on {host} port {number}: {why.en}",
                    f"无法在 {host} 端口 {number} 上监听：{why.zh}",
                ) from None
    which = f"{ports[0]}" if len(ports) == 1 else f"{ports[0]}–{ports[-1]}"
    raise LudusError(
        f"port {which} of {host} is in use; name another with --port",
        f"{host} 的端口 {which} 已被占用；请用 --port 指定其他端口",
    )


def local_url(listener: socket.socket) -> str:
    """The address that a person at this machine opens."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def network_url(listener: socket.socket) -> str:
    """The address that people in the same network open; empty if there is no network."""
    host, port = listener.getsockname()[:2]
    if host not in ("0.0.0.0", "::"):
        return local_url(listener)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))  # sends nothing; selects the outgoing interface
        except OSError:
            return ""
        return f"http://{probe.getsockname()[0]}:{port}"


@contextlib.contextmanager
def publish_address(folder: Path, url: str) -> Iterator[None]:
    """Let other commands find the server of this home while the context is open."""
    try:
        make_private(folder)
        file = (folder / ADDRESS_FILE_NAME).open("a+b")
    except OSError:  # a read-only home: the server cannot be found
        yield
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # another server was first
            yield
            return
        file.truncate(0)
        file.write(msgspec.json.encode({"url": url, "pid": os.getpid()}))
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def find_running_server(folder: Path) -> str | None:
    """The address of the server that runs in this home, if one does."""
    try:
        with (folder / ADDRESS_FILE_NAME).open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return str(msgspec.json.decode(file.read())["url"])
    except (OSError, msgspec.MsgspecError, KeyError):
        pass
    return None


class Server(uvicorn.Server):
    """Accepts connections through our own limits, and calls back when it has started."""

    def __init__(self, config: LimitedServerConfig, up: Callable[[], None] = lambda: None) -> None:
        super().__init__(config)
        self.gate = config.limiter
        self._up = up
        self._acceptors: list[Acceptor] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        self.gate.limit_to_descriptors(raise_descriptor_limit())
        await super().startup([])  # with sockets, it would accept without limits
        if self.started:
            self._gate_task = self.loop.create_task(self.gate.run_periodically())
            listeners = sockets or []
            self._acceptors = [Acceptor(each, self.gate, self._make_protocol) for each in listeners]
            self._up()

    def _make_protocol(self, peer: str) -> LimitedHttpProtocol:
        return LimitedHttpProtocol(self.config, self.server_state, self.lifespan.state, peer=peer)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for acceptor in self._acceptors:
            acceptor.close()
        self._gate_task.cancel()
        await super().shutdown(sockets)


def run(server_state: ServerState, listener: socket.socket, up: Callable[[], None]) -> None:
    """Serve until interrupted; ``up`` is called once the server accepts connections."""
    server = Server(
        make_config(server_state), up
    )  # refuses another user's home before anything is written there
    with listener, publish_address(server_state.folder, local_url(listener)):
        server.run([listener])


class ThreadedServer:
    """A server in a thread, for a program that does other work meanwhile."""

    def __init__(self, server_state: ServerState, listener: socket.socket) -> None:
        self.state = server_state
        self.url = local_url(listener)
        self._listener = listener
        self._up = threading.Event()
        self._server = Server(make_config(server_state), self._up.set)
        self._thread = threading.Thread(target=self._run, name="ludus-server", daemon=True)

    def _run(self) -> None:
        with self._listener, publish_address(self.state.folder, self.url):
            self._server.run([self._listener])
        self._up.set()

    def __enter__(self) -> ThreadedServer:
        self._thread.start()
        self._up.wait(30)
        if not self._server.started:
            raise LudusError("the server of the page did not start", "页面的服务器未能启动")
        return self

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        return self._server.loop

    def __exit__(self, *why: object) -> None:
        self._server.should_exit = True
        self._thread.join(10)

    def has_watchers(self) -> bool:
        """Whether anybody has the page open."""
        hub = self.state.hub
        live_bouts = (*hub.live_bouts.values(), *hub.finished_bouts.values())
        return bool(hub.list_watchers) or any(bout.watchers for bout in live_bouts)

    def was_visited(self) -> bool:
        """Whether anybody has ever had the page open."""
        return self.state.hub.connections_made > 0

    def wait_until_unwatched(self, seconds: float = 3.0) -> None:
        """Wait until nobody has had the page open for some seconds."""
        left = time.monotonic()
        while time.monotonic() - left < seconds:
            time.sleep(0.2)
            if self.has_watchers():
                left = time.monotonic()
