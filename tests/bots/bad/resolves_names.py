"""Asks for the address of a name."""

import socket

import attack

VERDICT = "rules"


class Player(attack.Player):
    def attacks(self):
        yield "address", lambda: socket.getaddrinfo("example.com", 443)
        yield "old way", lambda: socket.gethostbyname("example.com")
        yield "reverse", lambda: socket.gethostbyaddr("192.0.2.1")
