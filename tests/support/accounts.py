"""People with browsers and programs with tokens, who talk to a server under test."""

import random
import secrets
from dataclasses import dataclass, field
from typing import Any

from ludus.server.accounts.first_account import read_code
from tests.support.site import Answer, Site, wait_for

PASSWORD = "a long password"


@dataclass
class Person:
    """A browser: it keeps its cookie and sends the page's token along."""

    site: Site
    name: str = ""
    cookie: str = ""
    csrf: str = ""
    token: str = ""
    user: dict[str, Any] = field(default_factory=dict)

    def ask(
        self,
        path: str,
        body: Any = None,
        *,
        method: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        sent = dict(headers or {})
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        elif self.cookie:
            sent["Cookie"] = f"ludus={self.cookie}"
            sent.setdefault("X-Csrf", self.csrf)
        if body is not None and method is None:
            method = "POST"
        answer = self.site.ask(path, body, headers=sent, method=method)
        if given := answer.headers.get("set-cookie"):
            self.cookie = given.partition("ludus=")[2].partition(";")[0].strip('"')
        return answer

    def get(self, path: str) -> Any:
        answer = self.ask(path)
        assert answer.status == 200, (path, answer.status, answer.body)
        return answer.json

    def post(self, path: str, body: Any = None, method: str = "POST") -> Any:
        answer = self.ask(path, {} if body is None else body, method=method)
        assert answer.status in (200, 201), (path, answer.status, answer.body)
        told = answer.json
        if isinstance(told, dict) and told.get("csrf"):
            self.csrf, self.user = told["csrf"], told["user"]
        return told

    def delete(self, path: str) -> Any:
        return self.post(path, method="DELETE")

    def send(
        self, path: str, files: dict[str, bytes], fields: dict[str, str] | None = None
    ) -> Answer:
        """A form with files."""
        boundary = secrets.token_hex(8)
        parts = []
        for name, value in (fields or {}).items():
            parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n')
            parts[-1] = parts[-1] + value + "\r\n"
        body = "".join(parts).encode()
        for name, data in files.items():
            head = (
                f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="{name}"'
                "\r\nContent-Type: application/octet-stream\r\n\r\n"
            )
            body += head.encode() + data + b"\r\n"
        body += f"--{boundary}--\r\n".encode()
        kind = {"Content-type": f"multipart/form-data; boundary={boundary}"}
        return self.ask(path, body, headers=kind)

    def socket(self, path: str) -> Any:
        return self.site.socket(path, additional_headers={"Cookie": f"ludus={self.cookie}"})


def register(site: Site, name: str, **more: Any) -> Person:
    """An account; the first of a server is made with its code."""
    person = Person(site, name)
    first = {"code": code} if (code := read_code(site.home)) else {}
    person.post("/api/register", {"name": name, "password": PASSWORD, **first, **more})
    return person


def log_in(site: Site, name: str, password: str = PASSWORD) -> Person:
    person = Person(site, name)
    person.post("/api/login", {"name": name, "password": password})
    return person


def newcomer(site: Site, stem: str = "student") -> Person:
    """Somebody with an account and a name that nobody else has."""
    return register(site, f"{stem}-{secrets.token_hex(3)}")


def new_teacher(organiser: Person, stem: str = "teacher") -> Person:
    """Somebody new at the organiser's server, made a teacher."""
    found = newcomer(organiser.site, stem)
    organiser.post(f"/api/admin/users/{found.user['id']}", {"role": "teacher"})
    return found


GOOD = b"""
class Bot:
    def start(self, seat, position):
        self.seat = seat

    def move(self, position, clock):
        print("thinking aloud")
        return position.legal(self.seat)[0]
"""
CRASHING = GOOD.replace(b'print("thinking aloud")', b'raise ValueError("secret " + "words")')


def upload(
    person: Person, code: bytes = GOOD, *, game: str = "reversi", name: str = "", **fields: str
) -> dict[str, Any]:
    """A bot with one version."""
    given = {"game": game, "name": name or f"bot-{secrets.token_hex(3)}", **fields}
    answer = person.send("/api/bots", {"bot.py": code}, given)
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json
    return made


def checked(person: Person, version: int, seconds: float = 60) -> dict[str, Any]:
    """The version once its check is over."""
    found: list[dict[str, Any]] = []

    def over() -> bool:
        found[:] = [person.get(f"/api/versions/{version}")]
        return bool(found[0]["state"] != "checking")

    wait_for(over, seconds)
    return found[0]


def good_bot(person: Person, **fields: str) -> dict[str, Any]:
    bot = upload(person, **fields)
    version = checked(person, bot["versions"][0]["id"])
    assert version["state"] == "good", version
    told: dict[str, Any] = person.get(f"/api/bots/{bot['id']}")
    return told


def write_code(seed: int, statements: int = 60) -> bytes:
    """A long program of its own kind: no two seeds share much, whatever their names and numbers."""
    generator = random.Random(seed)

    def write_term() -> str:
        return generator.choice(("a", "b", "total", "7", "helper(a)", "(a, b)[0]", "-b", "~a"))

    def write_sum() -> str:
        signs = generator.choices("+-*%&|^", k=4)
        return "".join(write_term() + f" {sign} " for sign in signs) + write_term()

    kinds = ("total = {}", "if {}: a -= b", "while a: a, b = b, {}", "b += [{}, a][0]")
    lines = (generator.choice(kinds).format(write_sum()) for _ in range(statements))
    return ("\ndef helper(a, b=1):\n    pass\n" + "\n".join(lines)).encode()
