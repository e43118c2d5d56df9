"""A mail server in a thread, which keeps what it takes, and fails when it is told to."""

from __future__ import annotations

import base64
import contextlib
import email
import email.policy
import socketserver
import threading
from collections.abc import Iterator
from email.message import EmailMessage

USER, PASSWORD = "postmaster", "hunter2-of-the-mail-server"


class MailServer(socketserver.ThreadingTCPServer):
    """Speaks SMTP as far as ``smtplib`` does."""

    daemon_threads = allow_reuse_address = True

    def __init__(self, port: int = 0, *, login: bool = False) -> None:
        self.login = login
        self.taken: list[tuple[str, EmailMessage]] = []
        """Recipients and messages."""
        self.refuse_recipient = 0
        """The code with which recipients are refused; 0: they are not."""
        self.hang_up_after_data = False
        """Takes a mail and closes the connection instead of saying so."""
        super().__init__(("127.0.0.1", port), Session)

    @property
    def url(self) -> str:
        user = f"{USER}@" if self.login else ""
        return f"smtp+plain://{user}127.0.0.1:{self.server_address[1]}"


class Session(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._say("220 test")
        self.known, recipient = not self.server.login, ""
        while line := self.rfile.readline():
            verb, _, rest = line.decode().strip().partition(" ")
            match verb.upper():
                case "EHLO":
                    self._say("250-test", "250 AUTH PLAIN")
                case "AUTH":
                    given = base64.b64decode(rest.partition(" ")[2]).decode().split("\0")
                    self.known = given[1:] == [USER, PASSWORD]
                    self._say("235 welcome" if self.known else f"535 not {given[2]}")
                case "RCPT" if self.server.refuse_recipient:
                    self._say(f"{self.server.refuse_recipient} refused")
                case "MAIL" | "RCPT" | "RSET":
                    recipient = rest.partition("<")[2].rstrip(">")
                    self._say("250 fine" if self.known else "530 log in first")
                case "DATA":
                    self._say("354 go on")
                    if not self._take(recipient):
                        return
                case "QUIT":
                    self._say("221 bye")
                    return
                case _:
                    self._say("500 what?")

    def _take(self, recipient: str) -> bool:
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line[1:] if line.startswith(b".") else line)
        message = email.message_from_bytes(b"".join(lines), policy=email.policy.default)
        assert isinstance(message, EmailMessage)
        self.server.taken.append((recipient, message))
        if self.server.hang_up_after_data:
            return False
        self._say("250 taken")
        return True

    def _say(self, *lines: str) -> None:
        self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())


@contextlib.contextmanager
def mail_server(port: int = 0, *, login: bool = False) -> Iterator[MailServer]:
    with MailServer(port, login=login) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
