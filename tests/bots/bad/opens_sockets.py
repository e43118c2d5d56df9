"""Tries every kind of socket, to the world, to this machine and to its neighbours."""

import socket
import urllib.request

import attack

VERDICT = "rules"
FAMILIES = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16, "packet": 17, "alg": 38, "vsock": 40}


class Player(attack.Player):
    def attacks(self):
        for name, family in FAMILIES.items():
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
                yield f"{name} {kind}", lambda family=family, kind=kind: self.open(family, kind)
        yield "connect", lambda: socket.create_connection(("127.0.0.1", 80), 0.1)
        yield "serve", lambda: socket.create_server(("127.0.0.1", 0))
        yield "abstract", self.abstract
        yield "page", lambda: urllib.request.urlopen("http://192.0.2.1/", timeout=0.1)

    def open(self, family, kind):
        with socket.socket(family, kind) as opened:
            return opened.fileno()

    def abstract(self):
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind("\0ludus")
            return bound.getsockname()
