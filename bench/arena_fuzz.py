"""Sends the server whatever its own OpenAPI description allows, and looks for answers of 500.

python -m bench.arena_fuzz [EXAMPLES] [DATABASE]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import hypothesis
import schemathesis
from schemathesis.specs.openapi.schemas import OpenApiSchema

from bench.arena_faults import Server, settle

LEFT_OUT = ("/logout", "/open")
"""One ends the session of whoever tries; the other reads files elsewhere."""


def schema_of(url: str) -> OpenApiSchema:
    return schemathesis.openapi.from_url(f"{url}/api/docs/openapi.json")


def try_all(schema: OpenApiSchema, token: str, examples: int) -> dict[str, int]:
    """Ask everything with made-up values; gives how many answers there were of each status."""
    counts: dict[str, int] = {}
    broken: list[object] = []
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path.endswith(LEFT_OUT):
            continue

        @hypothesis.settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(case=operation.as_strategy())
        def ask(case: schemathesis.Case) -> None:
            response = case.call(headers=headers, timeout=30)
            status = str(response.status_code)
            counts[status] = counts.get(status, 0) + 1
            if response.status_code >= 500:
                broken.append((case.method, case.path, case.body, response.text[:200]))

        ask()
    assert not broken, broken
    return counts


def main() -> None:
    examples = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as scratch:
        server = Server(Path(scratch), sys.argv[2] if len(sys.argv) > 2 else "", jobs=1)
        server.start()
        try:
            client, _ = settle(server)
            for token in ("", client.token):
                print(dict(sorted(try_all(schema_of(server.url), token, examples).items())))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
