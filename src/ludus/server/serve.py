"""Runs the server: here until somebody stops it, or in a thread beside other work."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import ipaddress
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
from ludus.server.state import ServerState
from ludus.server.web.app import make_app
from ludus.server.web.connections import Acceptor, ConnectionLimiter, raise_descriptor_limit
from ludus.server.web.http_limits import LimitedHttpProtocol, LimitedServerConfig

HOST, PORT = "127.0.0.1", 8048
PORTS_TRIED = 20
MAX_WEBSOCKET_FRAME_BYTES = 64 << 10
"""Bytes of a WebSocket frame from a client."""
ADDRESS_FILE_NAME = "server.json"
"""Where a server writes its address, in its home; it is locked as long as the server runs."""


def make_config(arena: ServerState, **rest: Any) -> LimitedServerConfig:
    """uvicorn as we want it: quiet, and without compression, which costs 300 kB a socket."""
    proxies = arena.settings.trusted_proxies
    if not logs.is_configured():
        logs.configure("ludus")
    return LimitedServerConfig(
        make_app(arena),
        ConnectionLimiter(arena.settings.limits, proxies),
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


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str = HOST, port: int | None = None) -> socket.socket:
    """A socket on that port; without one, on the usual port or the next that is free."""
    ports = range(PORT, PORT + PORTS_TRIED) if port is None else [port]
    for number in ports:
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            listener = socket.create_server((host, number), family=family, backlog=2048)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # inherited
            return listener
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise LudusError(
                    f"cannot listen on {host} port {number}: {error.strerror}",
                    f"无法在 {host} 端口 {number} 上监听：{error.strerror}",
                ) from None
    which = f"{ports[0]}" if len(ports) == 1 else f"{ports[0]}–{ports[-1]}"
    raise LudusError(
        f"port {which} of {host} is in use; name another with --port",
        f"{host} 的端口 {which} 已被占用；请用 --port 指定其他端口",
    )


def local_url(listener: socket.socket) -> str:
    """The address that a person of this machine opens."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def network_url(listener: socket.socket) -> str:
    """The address that people of the same network open; empty if there is no network."""
    host, port = listener.getsockname()[:2]
    if host not in ("0.0.0.0", "::"):
        return local_url(listener)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("198.51.100.1", 9))  # sends nothing; tells which way one would go
        except OSError:
            return ""
        return f"http://{asked.getsockname()[0]}:{port}"


@contextlib.contextmanager
def publish_address(folder: Path, url: str) -> Iterator[None]:
    """While this lasts, others find the server of this home."""
    try:
        make_private(folder)
        file = (folder / ADDRESS_FILE_NAME).open("a+b")
    except OSError:  # a home that cannot be written has no door
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
    """Accepts connections through the gate, and tells when it is up."""

    def __init__(self, config: LimitedServerConfig, up: Callable[[], None] = lambda: None) -> None:
        super().__init__(config)
        self.gate = config.limiter
        self._up = up
        self._acceptors: list[Acceptor] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        self.gate.limit_to_descriptors(raise_descriptor_limit())
        await super().startup([])  # it would accept whatever comes
        if self.started:
            self._gate_task = self.loop.create_task(self.gate.run_periodically())
            listeners = sockets or []
            self._acceptors = [Acceptor(each, self.gate, self._protocol) for each in listeners]
            self._up()

    def _protocol(self, peer: str) -> LimitedHttpProtocol:
        return LimitedHttpProtocol(self.config, self.server_state, self.lifespan.state, peer=peer)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for acceptor in self._acceptors:
            acceptor.close()
        self._gate_task.cancel()
        await super().shutdown(sockets)


def run(arena: ServerState, listener: socket.socket, up: Callable[[], None]) -> None:
    """Serve until interrupted; ``up`` is called when people can come."""
    server = Server(
        make_config(arena), up
    )  # refuses a home that is not ours before it writes there
    with listener, publish_address(arena.folder, local_url(listener)):
        server.run([listener])


class ThreadedServer:
    """A server in a thread, for a program that does something else meanwhile."""

    def __init__(self, arena: ServerState, listener: socket.socket) -> None:
        self.arena = arena
        self.url = local_url(listener)
        self._listener = listener
        self._up = threading.Event()
        self._server = Server(make_config(arena), self._up.set)
        self._thread = threading.Thread(target=self._run, name="ludus-server", daemon=True)

    def _run(self) -> None:
        with self._listener, publish_address(self.arena.folder, self.url):
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
        hub = self.arena.hub
        stages = (*hub.live_bouts.values(), *hub.finished_bouts.values())
        return bool(hub.list_watchers) or any(stage.watchers for stage in stages)

    def was_visited(self) -> bool:
        """Whether anybody has ever had it open."""
        return self.arena.hub.connections_made > 0

    def wait_until_unwatched(self, seconds: float = 3.0) -> None:
        """Until nobody has had the page open for some seconds."""
        left = time.monotonic()
        while time.monotonic() - left < seconds:
            time.sleep(0.2)
            if self.has_watchers():
                left = time.monotonic()
