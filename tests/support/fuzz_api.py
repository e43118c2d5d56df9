"""Odd requests to every address, made from the API's own description."""

from __future__ import annotations

import hypothesis
import schemathesis
from schemathesis.specs.openapi.checks import response_schema_conformance
from schemathesis.specs.openapi.schemas import OpenApiSchema

LEFT_OUT = ("/logout", "/open", "/tokens/{id}")
"""They would end the session of whoever tries; one reads files elsewhere."""


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
            case.validate_response(response, checks=[response_schema_conformance])

        ask()
    assert not broken, broken
    return counts
