"""Whatever the API's own description allows to be sent, nothing breaks the server."""

import pytest

from tests.support.accounts import log_in
from tests.support.site import Site

EXAMPLES = {"nobody": 1, "organiser": 2}
"""Of each address; ``python -m bench.arena_fuzz`` tries many more."""


@pytest.mark.parametrize("role", list(EXAMPLES))
def test_nothing_that_the_schema_allows_breaks_the_server(club: Site, role: str) -> None:
    from tests.support.fuzz_api import schema_of, try_all  # takes two seconds to import

    token = ""
    if role == "organiser":
        made = {"label": "fuzz", "scopes": ["read", "upload", "play", "admin"]}
        token = log_in(club, "Olga").post("/api/me/tokens", made)["token"]
    counts = try_all(schema_of(club.url), token, EXAMPLES[role])
    assert sum(counts.values()) > 60
    assert any(status.startswith("2") for status in counts)
