"""Classes, and students who activate their accounts."""

import secrets

from tests.support.accounts import PASSWORD, Person
from tests.support.site import Site


def new_class(teacher: Person, name: str = "AI") -> tuple[int, str, str]:
    """A class: its number, its address in the API and its invitation code."""
    made = teacher.post("/api/groups", {"name": name})
    return made["id"], f"/api/groups/{made['id']}", made["code"]


def number() -> str:
    """A student number that no other test has."""
    return "2021" + "".join(secrets.choice("0123456789") for _ in range(10))


def activate(site: Site, code: str) -> Person:
    person = Person(site, f"me-{secrets.token_hex(4)}")
    chosen = {"code": code, "name": person.name, "password": PASSWORD}
    person.post("/api/activation", chosen)
    return person
