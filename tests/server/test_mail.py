"""Notices by e-mail, sent by a real mail server: confirmed addresses only, and nothing twice."""

import logging
import re
import smtplib
import ssl
import threading
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
import sqlalchemy as sql

from ludus.errors import LudusError
from ludus.lang import Text
from ludus.scheduling.schema import MailRow
from ludus.server.accounts import notices
from ludus.server.mail import mail_queue
from ludus.server.mail.mail_sender import MailSender
from ludus.server.mail.mail_settings import PASSWORD_VARIABLE, MailSettings, read_mail_settings
from ludus.server.state import ServerSettings
from tests.support.accounts import Person, newcomer, register
from tests.support.certificates import write_certificate
from tests.support.site import Site, served_for_module
from tests.support.smtp_server import PASSWORD, USER, MailServer, mail_server

PUBLIC_URL = "https://ludus.example.org"
SENDER = "ludus@example.org"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that says it sends mail; the tests send it, in the place of its background
    process."""
    mail = MailSettings("127.0.0.1", 1, "none", SENDER, PUBLIC_URL)
    home = tmp_path_factory.mktemp("mail")
    with served_for_module(home, ServerSettings(demo=False, mail=mail)) as site:
        register(site, "Olga")
        yield site


@pytest.fixture
def smtp() -> Iterator[MailServer]:
    with mail_server(login=True) as server:
        yield server


@pytest.fixture
def sender(shared: Site, smtp: MailServer, monkeypatch: pytest.MonkeyPatch) -> MailSender:
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    settings = read_mail_settings(smtp.url, SENDER, "", PUBLIC_URL)
    assert settings is not None and PASSWORD not in repr(settings)
    database = shared.state.site.database
    with database.writing() as session:  # what other tests left
        session.execute(sql.delete(MailRow))
    return MailSender(database, settings, threading.Event(), interval_s=0)


def code_in(message: EmailMessage) -> str:
    found = re.search(r"#code=([\w-]+)", message.get_content())
    assert found
    return found[1]


def subscriber(
    site: Site, smtp: MailServer, sender: MailSender, language: str = "en"
) -> tuple[Person, str]:
    """Somebody who has confirmed an address."""
    person = newcomer(site)
    address = f"{person.name}@example.org"
    person.post("/api/me/mail", {"email": address, "language": language})
    assert sender.send_due() == 1
    code = code_in(smtp.taken[-1][1])
    Person(site).post("/api/mail/confirm", {"code": code})
    return person, address


def notify(site: Site, person: Person, text: str, link: str = "") -> None:
    with site.state.site.database.writing() as session:
        notices.add_notices(session, [person.user["id"]], "words", Text(text, f"中文 {text}"), link)


def test_an_address_is_confirmed_and_notices_follow_in_the_accounts_language(
    shared: Site, smtp: MailServer, sender: MailSender
) -> None:
    silent = newcomer(shared)
    notify(shared, silent, "nobody asked for mail")
    person = newcomer(shared)
    notify(shared, person, "of before")
    person.post("/api/me/mail", {"email": "a.b@example.org", "language": "zh"})
    assert not person.get("/api/me")["user"]["email_verified"]
    assert person.ask("/api/me/mail", {"notices": True}, method="PATCH").status == 409
    assert sender.send_due() == 1 and sender.send_due() == 0
    recipient, message = smtp.taken[-1]
    assert recipient == "a.b@example.org" == message["To"]
    assert message["Subject"] == "请确认你的邮箱地址" and SENDER in message["From"]
    assert f"{PUBLIC_URL}/mail/confirm#code=" in message.get_content()
    Person(shared).post("/api/mail/confirm", {"code": code_in(message)})
    told = person.get("/api/me")["user"]
    assert told["email_verified"] and told["mail_notices"]
    notify(shared, person, "one\r\nBcc: all@example.org", "/bots/7")
    notify(shared, person, "two, due 2026-11-04T17:03:42Z, not 2026-13-04T17:03:42Z")
    assert sender.send_due() == 1 and sender.send_due() == 0, "both are in one mail, once"
    message = smtp.taken[-1][1]
    assert message["Subject"] == "2 条新通知" and message["Bcc"] is None
    text = message.get_content()
    assert "中文 two, due 2026年11月4日 17:03（UTC）, not 2026-13-04T" in text
    assert f"{PUBLIC_URL}/bots/7" in text and "of before" not in text
    notify(shared, person, "one\r\nSubject: other\r\n.\r\nend")
    assert sender.send_due() == 1
    assert smtp.taken[-1][1]["Subject"].startswith("中文 one Subject: other")
    assert "\n.\n" in smtp.taken[-1][1].get_content().replace("\r", "")
    Person(shared).post("/api/mail/stop", {"code": code_in(smtp.taken[-1][1])})
    assert not person.get("/api/me")["user"]["mail_notices"]
    notify(shared, person, "after the end")
    assert sender.send_due() == 0 and len(smtp.taken) == 3


def test_what_was_read_on_the_page_is_not_mailed(
    shared: Site, smtp: MailServer, sender: MailSender
) -> None:
    person, address = subscriber(shared, smtp, sender)
    notify(shared, person, "read at once")
    person.post("/api/notices/read")
    assert sender.send_due() == 0
    patient = MailSender(sender.database, sender.settings, threading.Event(), interval_s=3600)
    notify(shared, person, "first")
    assert patient.send_due() == 1
    notify(shared, person, "second")
    assert patient.send_due() == 0, "one mail an hour"
    person.post("/api/me", {"email": "other@example.org"}, "PATCH")
    assert sender.send_due() == 0, "another address has to be confirmed first"
    assert [recipient for recipient, _ in smtp.taken] == [address] * 2


def test_a_dead_mail_server_loses_nothing_and_nothing_is_sent_twice(
    shared: Site, sender: MailSender, caplog: pytest.LogCaptureFixture
) -> None:
    with mail_server(login=True) as first:
        port = first.server_address[1]
        living = MailSender(sender.database, with_port(sender, port), threading.Event(), 0)
        person, address = subscriber(shared, first, living)
        first.refuse_recipient = 451
        notify(shared, person, "later")
        assert living.send_due() == 0 and len(first.taken) == 1
        make_due(shared)
    notify(shared, person, "meanwhile")
    with pytest.raises(OSError):
        living.send_due()
    with mail_server(port, login=True) as second:
        assert living.send_due() == 1 and living.send_due() == 1 and living.send_due() == 0
        assert [recipient for recipient, _ in second.taken] == [address] * 2
        second.hang_up_after_data = True
        notify(shared, person, "taken, but the answer is lost")
        assert living.send_due() == 0 and len(second.taken) == 3
        second.hang_up_after_data = False
        make_due(shared)
        assert living.send_due() == 0 and len(second.taken) == 3, "it may have arrived"
        notify(shared, person, "claimed by a process that was killed")
        with shared.state.site.database.writing() as session:
            mail_queue.queue_notices(session, 0)
            assert mail_queue.claim_mail(session) is not None
        assert living.send_due() == 0
        second.refuse_recipient = 550
        other, _ = newcomer(shared), None
        other.post("/api/me/mail", {"email": "nobody@example.org", "language": "en"})
        assert living.send_due() == 0
        make_due(shared)
        second.refuse_recipient = 0
        assert living.send_due() == 0, "refused for good"
    assert PASSWORD not in caplog.text


def with_port(sender: MailSender, port: int) -> MailSettings:
    found = sender.settings
    return MailSettings(
        found.host, port, "none", SENDER, PUBLIC_URL, user=found.user, password=found.password
    )


def make_due(site: Site) -> None:
    """The pause before another try is over."""
    with site.state.site.database.writing() as session:
        session.execute(
            sql.update(MailRow).where(MailRow.state == "queued").values(due_at="2026-01-01")
        )


def test_a_wrong_password_of_the_mail_server_is_in_no_log(
    shared: Site, smtp: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    wrong = MailSettings(
        "127.0.0.1",
        int(smtp.server_address[1]),
        "none",
        SENDER,
        PUBLIC_URL,
        user=USER,
        password="a wrong secret",
    )
    person = newcomer(shared)
    person.post("/api/me/mail", {"email": "wrong@example.org", "language": "en"})
    stop = threading.Event()
    failing = MailSender(shared.state.site.database, wrong, stop)
    with pytest.raises(smtplib.SMTPAuthenticationError):
        failing.send_due()
    failing.thread.start()
    try:
        for _ in range(200):
            if "refused the user or the password" in caplog.text:
                break
            stop.wait(0.05)
    finally:
        stop.set()
        failing.thread.join(20)
    assert "refused the user or the password (535)" in caplog.text
    assert "a wrong secret" not in caplog.text


def test_mail_is_encrypted_and_only_a_trusted_server_of_the_right_name_gets_the_password(
    shared: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = write_certificate(tmp_path / "right.pem", "127.0.0.1")
    other = write_certificate(tmp_path / "other.pem", "mail.example.org")
    person = newcomer(shared)
    person.post("/api/me/mail", {"email": "sealed@example.org", "language": "en"})

    def send(shown: Path, trusted: Path) -> MailServer:
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
        with mail_server(login=True, tls=shown) as server:
            settings = read_mail_settings(server.url, SENDER, "", PUBLIC_URL)
            assert settings is not None and settings.security == "starttls"
            sender = MailSender(shared.state.site.database, settings, threading.Event(), 0)
            try:
                sender.send_due()
            except ssl.SSLCertVerificationError:
                assert server.taken == []
            return server

    for shown, trusted in ((right, other), (other, other)):
        refused = send(shown, trusted)
        assert refused.taken == [] and refused.heard == ["EHLO", "STARTTLS"]
    taken = send(right, right)
    assert "sealed@example.org" in [to for to, _ in taken.taken]
    assert taken.heard == ["EHLO", "STARTTLS"]


def test_links_of_mails_expire_and_strangers_codes_do_nothing(
    shared: Site, smtp: MailServer, sender: MailSender
) -> None:
    guest, person = Person(shared), newcomer(shared)
    for path in ("confirm", "stop"):
        assert guest.ask(f"/api/mail/{path}", {"code": "x" * 43}).status == 404
        assert guest.ask(f"/api/mail/{path}", {"code": ""}).status == 400
    for address in ("no address", "a@b@c", "a@example.org, b@example.org", "ä@example.org", "a@"):
        assert person.ask("/api/me/mail", {"email": address, "language": "en"}).status == 400
    person.post("/api/me/mail", {"email": "old@example.org", "language": "en"})
    sender.send_due()
    old = code_in(smtp.taken[-1][1])
    person.post("/api/me/mail", {"email": "new@example.org", "language": "en"})
    assert guest.ask("/api/mail/confirm", {"code": old}).status == 404
    sender.send_due()
    with sender.database.writing() as session:
        session.execute(sql.update(MailRow).values(created_at="2026-01-01T00:00:00Z"))
    assert guest.ask("/api/mail/confirm", {"code": code_in(smtp.taken[-1][1])}).status == 404
    statuses = {
        newcomer(shared).ask("/api/me/mail", {"email": "new@example.org", "language": "en"}).status
        for _ in range(3)
    }
    assert statuses == {200, 429}, "nobody's address is flooded, from however many accounts"


@pytest.mark.parametrize(
    ("smtp", "sender", "url", "word"),
    [
        ("mail.example.org", SENDER, PUBLIC_URL, "smtp://"),
        ("http://mail.example.org", SENDER, PUBLIC_URL, "smtp://"),
        ("smtp://me:secret@mail.example.org", SENDER, PUBLIC_URL, PASSWORD_VARIABLE),
        ("smtp://me@mail.example.org", SENDER, PUBLIC_URL, PASSWORD_VARIABLE),
        ("smtp://mail.example.org", "Ludus", PUBLIC_URL, "--mail-from"),
        ("smtp://mail.example.org", SENDER, "", "--public-url"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_the_start(
    smtp: str, sender: str, url: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    with pytest.raises(LudusError) as refused:
        read_mail_settings(smtp, sender, "", url)
    assert all(word in text and "secret" not in text for text in refused.value.text.values())


def test_passwords_come_from_a_file_or_the_environment_and_only_travel_encrypted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "password"
    file.write_text("from a file\n")
    found = read_mail_settings("smtps://me@mail.example.org", SENDER, str(file), PUBLIC_URL + "/")
    assert found == MailSettings(
        "mail.example.org", 465, "tls", SENDER, PUBLIC_URL, "me", "from a file"
    )
    monkeypatch.setenv(PASSWORD_VARIABLE, "from outside")
    with pytest.raises(LudusError, match="unencrypted"):
        read_mail_settings("smtp+plain://me@mail.example.org", SENDER, "", PUBLIC_URL)
    monkeypatch.setenv(PASSWORD_VARIABLE, "from outside")
    found = read_mail_settings("smtp://me@mail.example.org", SENDER, "", PUBLIC_URL)
    assert found is not None and (found.security, found.port) == ("starttls", 587)
    assert found.password == "from outside"
    assert read_mail_settings("", "", "", "") is None
    with pytest.raises(LudusError, match="cannot read the password file"):
        read_mail_settings("smtps://me@h", SENDER, str(tmp_path / "none"), PUBLIC_URL)
