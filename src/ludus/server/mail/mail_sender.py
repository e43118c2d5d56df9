"""The thread of the background process that sends e-mail. A mail server that does not answer costs
nothing but time: mails wait in the database."""

from __future__ import annotations

import contextlib
import logging
import re
import smtplib
import ssl
import threading
from collections.abc import Iterator
from email.policy import SMTP

from ludus.scheduling.database import DatabaseUnavailable
from ludus.scheduling.schema.posts import MailState
from ludus.server.database import Database
from ludus.server.mail import mail_queue
from ludus.server.mail.mail_queue import ClaimedMail
from ludus.server.mail.mail_settings import MailSettings
from ludus.server.mail.mail_texts import compose_mail

log = logging.getLogger(__name__)

POLL_INTERVAL_S = 3.0
CONNECT_TIMEOUT_S = 20.0
FIRST_PAUSE_S = 5.0
"""Seconds before the mail server is tried again; doubled each time."""
MAX_PAUSE_S = 300.0


class MailSender:
    """Sends what is in the queue, one mail at a time."""

    def __init__(
        self,
        database: Database,
        settings: MailSettings,
        stop_event: threading.Event,
        interval_s: float = mail_queue.NOTICES_INTERVAL_S,
    ) -> None:
        self.database, self.settings, self.interval_s = database, settings, interval_s
        self.wake_event = threading.Event()
        self.thread = threading.Thread(target=self._run, name="mail", daemon=True)
        self._stop_event = stop_event

    def _run(self) -> None:
        pause = FIRST_PAUSE_S
        while not self._stop_event.is_set():
            try:
                self.send_due()
                pause = FIRST_PAUSE_S
                self.wake_event.wait(POLL_INTERVAL_S)
            except (OSError, smtplib.SMTPException, DatabaseUnavailable) as error:
                log.warning("mail waits %g s: %s", pause, describe_failure(error))
                self._stop_event.wait(pause)
                pause = min(MAX_PAUSE_S, 2 * pause)
            self.wake_event.clear()

    def send_due(self) -> int:
        """Send everything that is due; gives how many mails the mail server took. Raises if it
        cannot be reached; then nothing was claimed."""
        with self.database.writing() as session:
            mail_queue.settle_old_mails(session)
            mail_queue.queue_notices(session, self.interval_s)
            if not mail_queue.has_due_mail(session):
                return 0
        sent = 0
        with self._connect() as connection:
            while not self._stop_event.is_set() and (mail := self._claim()) is not None:
                state = self._send(connection, mail)
                with self.database.writing() as session:
                    if state == "queued":
                        mail_queue.retry_mail(session, mail.id, FIRST_PAUSE_S)
                    else:
                        mail_queue.settle_mail(session, mail.id, state)
                sent += state == "sent"
        return sent

    def _claim(self) -> ClaimedMail | None:
        with self.database.writing() as session:
            return mail_queue.claim_mail(session)

    @contextlib.contextmanager
    def _connect(self) -> Iterator[smtplib.SMTP]:
        given, context = self.settings, ssl.create_default_context()
        if given.security == "tls":
            connection: smtplib.SMTP = smtplib.SMTP_SSL(
                given.host, given.port, timeout=CONNECT_TIMEOUT_S, context=context
            )
        else:
            connection = smtplib.SMTP(given.host, given.port, timeout=CONNECT_TIMEOUT_S)
        try:
            if given.security == "starttls":
                connection.starttls(context=context)
            connection.ehlo_or_helo_if_needed()
            if given.user:
                connection.login(given.user, given.password)
            yield connection
        finally:
            with contextlib.suppress(OSError, smtplib.SMTPException):
                connection.quit()
            connection.close()

    def _send(self, connection: smtplib.SMTP, mail: ClaimedMail) -> MailState:
        """What became of a mail. ``queued``: it was certainly not taken, and is tried again."""
        message = compose_mail(mail, self.settings).as_bytes(policy=SMTP)
        try:
            for code, _ in self._offer(connection, mail.address):
                if code >= 300 and code != 354:
                    connection.rset()
                    return "failed" if code >= 500 else "queued"
        except (OSError, smtplib.SMTPException) as error:
            log.warning("mail %d waits: %s", mail.id, describe_failure(error))
            return "queued"
        try:  # from here on it may be taken even if the answer is lost
            connection.send(re.sub(rb"(?m)^\.", b"..", message) + b".\r\n")
            code, _ = connection.getreply()
        except (OSError, smtplib.SMTPException) as error:
            log.warning("mail %d may be lost: %s", mail.id, describe_failure(error))
            return "unknown"
        return "sent" if code < 300 else "failed" if code >= 500 else "queued"

    def _offer(self, connection: smtplib.SMTP, address: str) -> Iterator[tuple[int, bytes]]:
        """The answers of the mail server up to the one that asks for the message."""
        yield connection.mail(self.settings.sender)
        yield connection.rcpt(address)
        yield connection.docmd("DATA")


def describe_failure(error: Exception) -> str:
    """Why mail could not be sent, without what was sent: answers to a login may repeat it."""
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return f"the mail server refused the user or the password ({error.smtp_code})"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"the mail server answered {error.smtp_code}"
    if isinstance(error, DatabaseUnavailable):
        return error.text["en"]
    return f"{type(error).__name__}: {getattr(error, 'strerror', None) or error}"
