"""Language models on a ladder: baselines that the organiser chooses, out of those configured."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ludus.contest.ladder_ledger import LadderLedger
from ludus.contest.model import Entrant
from ludus.contest.settings import parse_contest_settings
from ludus.server.state import ServerSettings
from tests.support.accounts import Person, good_bot, log_in, newcomer, register
from tests.support.llm_server import Answered, Asked, LlmServer, say, serve_model
from tests.support.site import Site, served_for_module, wait_for

MODEL = "llm:small"
KEY = "sk-planted-key-of-a-ladder"


def first(asked: Asked, number: int) -> Answered:
    return say(f"MOVE: {asked.legal[0]}")


@pytest.fixture(scope="module")
def model() -> Iterator[LlmServer]:
    with serve_model(first) as server:
        yield server


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server whose background process reaches the model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("no_proxy", "127.0.0.1")
        patch.setenv("PLANTED_KEY", KEY)
        home = tmp_path_factory.mktemp("site")
        with served_for_module(home, ServerSettings(demo=False, jobs=1)) as site:
            register(site, "Olga")
            yield site


def write_models(home: Path, address: str) -> None:
    facts = {"address": address, "key_variable": "PLANTED_KEY", "backoff": 0.01}
    lines = [f"{name} = {json.dumps(value)}" for name, value in facts.items()]
    (home / "llm.toml").write_text("\n".join(["[small]", *lines]))


def rows(person: Person) -> dict[str, dict[str, Any]]:
    found = person.get("/api/ladders/reversi")["rows"]
    return {row["bot"]["name"]: row for row in found}


def test_a_model_plays_on_the_ladder_where_it_is_configured_and_chosen(
    site: Site, model: LlmServer
) -> None:
    olga, ann = log_in(site, "Olga"), newcomer(site, "ann")
    chosen = {"ladder_models": {"reversi": ["small"]}}
    refused = olga.ask("/api/admin/settings", chosen, method="PATCH")
    assert refused.status == 400 and b"llm:small is not configured" in refused.body
    write_models(site.home, model.address)
    strange = olga.ask("/api/admin/settings", {"ladder_models": {"x": ["small"]}}, method="PATCH")
    assert strange.status == 400
    small = {"ladder_house": {"reversi": ["random"]}, "ladder_options": {"reversi": {"size": 4}}}
    olga.post("/api/admin/settings", {**small, "ladder_enough": 0}, "PATCH")
    bot = good_bot(ann)
    ann.post(f"/api/bots/{bot['id']}", {"current": bot["versions"][0]["id"]}, "PATCH")
    wait_for(lambda: rows(ann).get("random", {}).get("bouts", 0) > 0, 90)
    assert MODEL not in rows(ann) and not model.asked, "off by default"

    limit = {"model_bouts_a_day": 4}
    olga.post("/api/admin/settings", {**chosen, **limit}, "PATCH")
    wait_for(lambda: rows(ann).get(MODEL, {}).get("bouts", 0) >= 4, 90)
    assert {asked.authorization for asked in model.asked} == {f"Bearer {KEY}"}
    row = rows(ann)[MODEL]
    assert row["bot"]["id"] is None and row["bot"]["owner"]["kind"] == "house"
    others = rows(ann)["random"]["bouts"]
    wait_for(lambda: rows(ann)["random"]["bouts"] >= others + 10, 90)
    assert rows(ann)[MODEL]["bouts"] <= 6, "it rests, and at most finishes a match"
    found = ann.get(f"/api/bouts?player={MODEL}")["items"][0]
    assert KEY not in str(ann.get(f"/api/films/{found['film']}"))

    (site.home / "llm.toml").unlink()
    wait_for(lambda: MODEL not in rows(ann), 60)
    others = rows(ann)["random"]["bouts"]
    wait_for(lambda: rows(ann)["random"]["bouts"] > others, 90)


def test_entrants_that_rest_begin_no_match_and_keep_their_rating() -> None:
    settings = parse_contest_settings(
        {"name": "ladder", "game": "reversi", "format": {"name": "ladder", "rounds": 0}}, "ladder"
    )
    entrants = [Entrant(name) for name in ("a", "b", MODEL)]
    resting = LadderLedger(settings, entrants)
    resting.get_resting = lambda: frozenset({MODEL})
    assert list_planned(resting) == {"a", "b"}
    assert MODEL in resting.fit().names
    assert list_planned(LadderLedger(settings, entrants[1:])) == {"b", MODEL}


def list_planned(ledger: LadderLedger) -> set[str]:
    return {name for batch in ledger.playable_batches() for name in batch.pairing.entrants}
