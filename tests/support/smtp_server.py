"""A mail server in a thread, which keeps what it takes, and fails when it is told to."""

from __future__ import annotations

import base64
import contextlib
import email
import email.policy
import socketserver
import ssl
import threading
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

USER, PASSWORD = "postmaster", "hunter2-of-the-mail-server"


class MailServer(socketserver.ThreadingTCPServer):
    """Speaks SMTP as far as ``smtplib`` does."""

    daemon_threads = allow_reuse_address = True

    def __init__(self, port: int = 0, *, login: bool = False, tls: Path | None = None) -> None:
        self.login = login
        self.tls: ssl.SSLContext | None = None
        """It speaks TLS once a client has asked for it, and takes nothing before."""
        self.heard: list[str] = []
        """The verbs that came unencrypted."""
        if tls is not None:
            self.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            self.tls.load_cert_chain(tls)
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
        scheme = "smtp" if self.tls else "smtp+plain"
        return f"{scheme}://{user}127.0.0.1:{self.server_address[1]}"


class Session(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._say("220 test")
        self.known, recipient = not self.server.login, ""
        open_, offers = self.server.tls is not None, ("250-test", "250 AUTH PLAIN")
        while line := self.rfile.readline():
            verb, _, rest = line.decode().strip().partition(" ")
            if open_:
                self.server.heard.append(verb.upper())
            match verb.upper():
                case "EHLO":
                    self._say(*(("250-test", "250 STARTTLS") if open_ else offers))
                case "STARTTLS" if open_:
                    self._say("220 go on")
                    if not self._encrypt():
                        return
                    open_ = False
                case "AUTH" | "MAIL" if open_:
                    self._say("530 STARTTLS first")
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

    def _encrypt(self) -> bool:
        """False if the client does not trust the certificate."""
        assert self.server.tls is not None
        try:
            self.connection = self.server.tls.wrap_socket(self.connection, server_side=True)
        except OSError:
            return False
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb")
        return True

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
        self.wfile.flush()


@contextlib.contextmanager
def mail_server(
    port: int = 0, *, login: bool = False, tls: Path | None = None
) -> Iterator[MailServer]:
    """``tls``: a file with a key and a certificate."""
    with MailServer(port, login=login, tls=tls) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
