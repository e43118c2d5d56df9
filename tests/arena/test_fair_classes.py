"""Classes: who is let in, whom a teacher reaches, what a class list may do."""

from collections.abc import Iterator

import pytest

from ludus.arena.services import Settings
from tests.support.accounts import Person, newcomer, register
from tests.support.site import Site, served_for_module


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with served_for_module(tmp_path_factory.mktemp("hall"), Settings(demo=False)) as site:
        yield site


@pytest.fixture(scope="module")
def olga(hall: Site) -> Person:
    return register(hall, "Olga")


@pytest.fixture(scope="module")
def tim(hall: Site, olga: Person) -> Person:
    found = newcomer(hall, "tim")
    olga.post(f"/api/desk/users/{found.user['id']}", {"role": "teacher"})
    return found


def test_whoever_was_removed_from_a_class_does_not_come_back(hall: Site, tim: Person) -> None:
    group = tim.post("/api/groups", {"name": "Class"})
    path, sam, eve = f"/api/groups/{group['id']}", newcomer(hall), newcomer(hall)
    sam.post("/api/groups/join", {"code": group["code"]})
    tim.delete(f"{path}/members/{sam.user['id']}")
    assert sam.ask("/api/groups/join", {"code": group["code"]}).status == 404
    code = tim.get(path)["code"]
    eve.post("/api/groups/join", {"code": code})
    assert eve.ask(f"{path}/code", {}).status == 403
    renewed = tim.post(f"{path}/code")["code"]
    assert renewed not in (code, group["code"])
    assert sam.ask("/api/groups/join", {"code": code}).status == 404
    assert sam.post("/api/groups/join", {"code": renewed})["mine"] is True
